import { messageOf } from '#errors';
import type { Message } from '#message';
import { appendChild, type SourceNode, type XmlElement } from '#xml';
import type { CompileContext } from '../context.ts';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import { readCondition, type Evaluator } from '../shared/evaluator.ts';
import {
  compileRewriteAction,
  fragmentsOf,
  readRewriteAction,
  serializeRewriteAction,
  textProperty,
  type RewriteAction,
  type RewriteStep,
} from '../shared/rewrite-action.ts';
import { joinFragments, type UrlFragments } from '../shared/url-fragments.ts';

interface Rule {
  readonly condition: Evaluator | undefined;
  readonly actions: readonly RewriteAction[];
}

interface Definition {
  readonly inProperty: string | undefined;
  readonly outProperty: string | undefined;
  readonly rules: readonly Rule[];
}

/** `<rewrite>`: changes a URL, or parts of it, by rules (mediators 3.5). */
export const rewrite = defineMediator<Definition>({
  element: 'rewrite',
  attributes: ['inProperty', 'outProperty'],
  children: ['rewriterule'],
  needsBody: ({ rules }) => rules.some((rule) => readsBody(rule)),
  parse: (node) => ({
    inProperty: node.attribute('inProperty'),
    outProperty: node.attribute('outProperty'),
    rules: node.childrenNamed('rewriterule').map((child) => readRule(child)),
  }),
  serialize({ inProperty, outProperty, rules }) {
    return synapseElement('rewrite', { inProperty, outProperty }, rules.map(serializeRule));
  },
  compile({ inProperty, outProperty, rules }, context): Compiled {
    const compiled = rules.map((rule) => compileRule(rule, context));
    return (message) => {
      const input = inProperty === undefined ? message.addressing.to : textProperty(message, inProperty);
      let fragments = fragmentsOf(input ?? '');
      for (const apply of compiled) fragments = apply(message, fragments);
      const result = joinFragments(fragments);
      if (outProperty === undefined) {
        message.addressing.to = result;
        message.axis2.set('TransportInURL', result);
      } else message.properties.set(outProperty, result);
      return CONTINUE;
    };
  },
});

function readsBody({ condition, actions }: Rule): boolean {
  return condition?.contentAware === true || actions.some(({ xpath }) => xpath?.expression.contentAware === true);
}

function readRule(node: SourceNode): Rule {
  node.knowOnly([]);
  node.knowOnlyChildren(['condition', 'action']);
  const actions = node.childrenNamed('action').map((child) => readRewriteAction(child));
  if (actions.length === 0) node.error('<rewriterule> needs at least one <action>', { code: 'MR_ARTIFACT_CHILD' });
  const condition = node.child('condition');
  return { condition: condition && readCondition(condition), actions };
}

function serializeRule({ condition, actions }: Rule): XmlElement {
  const element = synapseElement('rewriterule');
  if (condition) appendChild(element, synapseElement('condition', {}, [condition.serialize()]));
  for (const action of actions) appendChild(element, serializeRewriteAction(action));
  return element;
}

/** A condition that cannot be evaluated skips its own rule only. */
function compileRule({ condition, actions }: Rule, context: CompileContext): RewriteStep {
  const steps = actions.map((action) => compileRewriteAction(action, context));
  const holds = (message: Message, fragments: UrlFragments): boolean => {
    try {
      return condition?.evaluate({ message, url: joinFragments(fragments) }) ?? true;
    } catch (error) {
      const facts = { at: context.id, error: messageOf(error) };
      context.services.log.warn(facts, 'a condition of <rewrite> cannot be evaluated; its rule is skipped');
      return false;
    }
  };
  return (message, fragments) =>
    holds(message, fragments) ? steps.reduce((present, step) => step(message, present), fragments) : fragments;
}

import { synapseCodes } from '#errors';
import { cloneJson, stringifyJson, type JsonValue } from '#json';
import { noteIncident, type Message, type Payload } from '#message';
import { appendChild, cloneNode, detach, XmlElement, type SourceNode } from '#xml';
import type { CompileContext } from '../context.ts';
import { Fault } from '../fault.ts';
import { CONTINUE, STOP } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { declareNamespaces, readExpression, synapseElement, type ExpressionSource } from '../reading.ts';
import { itemsOf, noList, payloadOf, type Item } from '../shared/collection.ts';
import { lateExpression } from '../shared/late-expression.ts';
import { jsonPathSource, type JsonPathSource } from '../shared/json-path-source.ts';
import {
  readSplitSettings,
  runSplit,
  splitAttributes,
  splitAttributesOf,
  type SplitRun,
  type SplitSettings,
} from '../shared/split-settings.ts';
import { compileTarget, readOnlyTarget, serializeTarget, type Target } from '../shared/target.ts';
import { copyForBranch } from '../split.ts';

interface Definition {
  readonly settings: SplitSettings;
  readonly expression: ExpressionSource | undefined;
  readonly preservePayload: boolean;
  readonly attachPath: ExpressionSource | undefined;
  /** The attach path of a JSON payload, to be written through. */
  readonly attachJson: JsonPathSource | undefined;
  readonly target: Target | undefined;
}

/** `<iterate>`: a branch for each element that an expression finds (mediators 5.3). */
export const iterate = defineMediator<Definition>({
  element: 'iterate',
  attributes: [...splitAttributes, 'expression', 'attachPath', 'preservePayload'],
  children: ['target'],
  needsBody: () => true,
  parse(node, context) {
    node.required('expression');
    const expression = readExpression(node, 'expression');
    const preservePayload = node.flag('preservePayload', false);
    const attachPath = readExpression(node, 'attachPath');
    checkAttachPath(node, { expression, attachPath, preservePayload });
    return {
      settings: readSplitSettings(node),
      expression,
      preservePayload,
      attachPath,
      attachJson: attachPath && jsonPathSource(node, attachPath.text),
      target: readOnlyTarget(node, context),
    };
  },
  serialize({ settings, expression, preservePayload, attachPath, target }) {
    const element = synapseElement('iterate', {
      ...splitAttributesOf(settings),
      expression: expression?.text,
      attachPath: attachPath?.text,
      preservePayload: preservePayload || undefined,
    });
    if (target) appendChild(element, serializeTarget(target));
    return declareNamespaces(element, [expression, attachPath]);
  },
  compile: compileIterate,
});

function checkAttachPath(
  node: SourceNode,
  { expression, attachPath, preservePayload }: Pick<Definition, 'expression' | 'attachPath' | 'preservePayload'>,
): void {
  if (!attachPath) return;
  if (!preservePayload) {
    node.warn('"attachPath" has no effect without preservePayload="true"', { attribute: 'attachPath' });
  }
  const { language } = attachPath.expression;
  if (expression && language !== expression.expression.language) {
    node.error('"attachPath" and "expression" must be of the same language', { attribute: 'attachPath' });
  }
}

function compileIterate(definition: Definition, context: CompileContext): Compiled {
  const { settings, preservePayload, target } = definition;
  const findExpression = definition.expression && lateExpression(definition.expression);
  const findPlace = definition.attachPath && lateExpression(definition.attachPath);
  const run: Compiled = target ? compileTarget(target, context.at('target')) : () => CONTINUE;
  const split: SplitRun = { settings, context, onFault: 'raise' };
  return (message) => {
    const expression = findExpression?.(message);
    const items = expression ? itemsOf(expression, message) : [];
    if (!items) throw noList(`The expression ${expression?.text ?? ''} of <iterate>`);
    if (items.length === 0) return endWithoutMatch(message, definition, context);
    const payloads = preservePayload
      ? preserved(message, items, { ...definition, expression, attachPath: findPlace?.(message) })
      : (item: Item) => payloadOf(item, message);
    const starts = items.map((item) => ({
      message(): Message {
        const copy = copyForBranch(message, payloads(item));
        copy.axis2.delete('NO_ENTITY_BODY');
        return copy;
      },
      run,
    }));
    return runSplit(message, starts, split);
  };
}

/** The original leaves the client without any answer here; the flow ends, and what happened is recorded. */
function endWithoutMatch(message: Message, { settings, expression }: Definition, context: CompileContext): boolean {
  if (settings.continueParent) return CONTINUE;
  message.waits();
  const facts = {
    mediator: context.id,
    expression: expression?.text,
    reason: 'nothing matched, so there is no branch',
  };
  noteIncident(message, 'incomplete group', facts);
  context.services.log.warn({ ...facts, message: message.id }, 'a split has no branches; the flow ends');
  return STOP;
}

/** Payloads that keep the document around the elements, with one of them at the attach path. */
function preserved(message: Message, items: readonly Item[], definition: Definition): (item: Item) => Payload {
  const isJson = items.every((item) => 'json' in item);
  return isJson ? preservedJson(message, definition) : preservedXml(message, definition);
}

function preservedJson(message: Message, { attachJson }: Definition): (item: Item) => Payload {
  const root = message.json();
  return (item) => {
    const payload = message.payload.blank();
    const json = 'json' in item ? item.json : null;
    payload.setJson(
      stringifyJson(root === undefined || !attachJson || attachJson.isRoot ? json : attached(root, json, attachJson)),
    );
    return payload;
  };
}

function attached(root: JsonValue, value: JsonValue, path: JsonPathSource): JsonValue {
  const copy = cloneJson(root);
  if (path.set(copy, value) > 0) return copy;
  throw noPlace(path.text);
}

function preservedXml(message: Message, { expression, attachPath }: Definition): (item: Item) => Payload {
  // The document without the elements is made once; each branch gets a copy of it.
  const rest = message.clone();
  rest.payload.editEnvelope();
  for (const item of (expression && itemsOf(expression, rest)) ?? []) if ('element' in item) detach(item.element);
  return (item) => {
    const branch = rest.clone();
    branch.payload.editEnvelope();
    const found: unknown = attachPath?.expression.evaluateValue(branch) ?? branch.payload.content();
    const place: unknown = Array.isArray(found) ? found[0] : found;
    if (!(place instanceof XmlElement)) throw noPlace(attachPath?.text ?? '.');
    if ('element' in item) appendChild(place, cloneNode(item.element));
    return branch.payload;
  };
}

function noPlace(path: string): Fault {
  return new Fault({
    code: synapseCodes.mediation,
    message: `Error in attaching the splitted elements :: Unable to get the attach path specified by the expression ${path}`,
  });
}

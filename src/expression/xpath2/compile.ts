import type { Options } from 'fontoxpath';
import { DeadlineError, withDeadline } from '#core';
import { messageOf } from '#errors';
import { XmlElement, type XmlAttribute } from '#xml';
import { EvaluationError, ExpressionError } from '../error.ts';
import type { Expression } from '../expression.ts';
import type { Scope } from '../scope.ts';
import { silentScope } from '../silent-scope.ts';
import { resultText } from '../xpath/result.ts';
import type { XPathNode } from '../xpath/nodes.ts';
import { numberText, toBoolean, type XPathValue } from '../xpath/values.ts';
import { DomViews, nodeTypes, toXmlNode, type DomNode } from './dom-node.ts';
import { engineMessage } from './engine-message.ts';
import { theEngine } from './engine.ts';
import { createFacade, documentWriter, nodesFactory } from './facade.ts';
import { resolveFunction, wellKnown, type EngineContext } from './functions.ts';
import { bindVariables, rewriteVariables } from './variables.ts';

/** Milliseconds that an expression may take: it holds up every other message. */
const timeLimit = 1000;
/** Milliseconds for looking at the text of an expression; what takes longer runs already, so its text is right. */
const checkTime = 100;

/**
 * Compiles XPath 3.1, which takes what XPath 2.0 takes, for what the compiler of XPath 1.0 refuses (runtime-core 8.1).
 *
 * @throws ExpressionError for wrong syntax, unknown functions, variables and prefixes
 */
export function compileXPath2(source: string, namespaces: ReadonlyMap<string, string>): Expression {
  const { text, prefixed } = rewriteVariables(source);
  const texts = `for $millrace-item in (${text}\n) return if ($millrace-item instance of node()) then $millrace-item else string($millrace-item)`;
  const run = (query: string, scope: Scope, views: DomViews): unknown[] => {
    const { evaluateXPath } = theEngine();
    const variables = bindVariables(prefixed, scope, views);
    const options = optionsFor({ scope, views }, namespaces);
    const results = withDeadline(timeLimit, () =>
      evaluateXPath(
        query,
        views.of(scope.envelope()),
        createFacade(views),
        variables,
        evaluateXPath.ALL_RESULTS_TYPE,
        options,
      ),
    );
    return results as unknown[];
  };
  checkStatically(
    text,
    namespaces,
    prefixed.map(({ name }) => name),
  );
  const evaluate = (query: string, scope: Scope): unknown[] => {
    try {
      return run(query, scope, new DomViews());
    } catch (error) {
      throw new EvaluationError(`${source}: ${engineMessage(error)}`, error);
    }
  };
  return {
    language: 'xpath',
    source,
    contentAware: true,
    evaluateString: (scope) => resultText(valueOfResults(evaluate(texts, scope)), false),
    evaluateBoolean: (scope) => toBoolean(valueOfResults(evaluate(text, scope))),
    evaluateValue(scope) {
      const results = evaluate(text, scope);
      const [first] = results;
      const isPlain = results.length === 1 && ['boolean', 'number', 'string'].includes(typeof first);
      return isPlain || results.every((item) => isDomNode(item))
        ? valueOfResults(results)
        : valueOfResults(evaluate(texts, scope));
    },
  };
}

/** What the engine needs to know besides the text. */
export function optionsFor(context: EngineContext, namespaces: ReadonlyMap<string, string>): Options {
  return {
    currentContext: context,
    documentWriter,
    nodesFactory,
    functionNameResolver: (name, arity) => resolveFunction({ ...name, arity }, namespaces),
    namespaceResolver: (prefix) => (prefix === '' ? null : (namespaces.get(prefix) ?? wellKnown.get(prefix) ?? null)),
    logger: { trace: () => undefined },
  };
}

/** Errors that say something of the text itself: syntax, and names that nothing stands for. */
const staticErrors = /\bXPST\d{4}\b|^\d+: /;

/** Compiles the text on an empty document, where what depends on a message fails in other ways. */
function checkStatically(text: string, namespaces: ReadonlyMap<string, string>, variables: readonly string[]): void {
  const { evaluateXPath } = theEngine();
  const views = new DomViews();
  const context = views.of(new XmlElement('none'));
  const empty = Object.fromEntries([...variables, 'body', 'header', 'env'].map((name) => [name, null]));
  const options = optionsFor({ scope: silentScope, views }, namespaces);
  try {
    withDeadline(checkTime, () =>
      evaluateXPath(text, context, createFacade(views), empty, evaluateXPath.ALL_RESULTS_TYPE, options),
    );
  } catch (error) {
    if (error instanceof ExpressionError) throw error;
    const message = messageOf(error);
    if (error instanceof DeadlineError || !staticErrors.test(message)) return;
    throw new ExpressionError(engineMessage(error), 0);
  }
}

/** True for a node that the engine gave. */
export function isDomNode(value: unknown): value is DomNode {
  return typeof value === 'object' && value !== null && 'nodeType' in value;
}

function valueOfResults(results: readonly unknown[]): XPathValue {
  const nodes = results.filter((item) => isDomNode(item));
  if (nodes.length === results.length) return nodes.flatMap((node) => ownNode(node) ?? []);
  const [first] = results;
  if (results.length === 1 && (typeof first === 'boolean' || typeof first === 'number')) return first;
  return results.map((item) => textOfItem(item)).join(' ');
}

function ownNode(node: DomNode): XPathNode | undefined {
  const { source, parent, nodeType } = node;
  if (nodeType === nodeTypes.attribute) {
    const owner = parent?.source;
    return owner instanceof XmlElement ? { kind: 'attribute', owner, attribute: source as XmlAttribute } : undefined;
  }
  const own = toXmlNode(node);
  return nodeType === nodeTypes.document && own instanceof XmlElement ? { kind: 'document', root: own } : own;
}

function textOfItem(item: unknown): string {
  if (!isDomNode(item)) return typeof item === 'number' ? numberText(item) : String(item);
  const own = ownNode(item);
  return (own && resultText([own], false)) ?? '';
}

import { DeadlineError, withDeadline } from '#core';
import { XmlElement, type XmlNode } from '#xml';
import { EvaluationError } from '../error.ts';
import type { Scope } from '../scope.ts';
import { DomViews, nodeTypes, toXmlNode, type DomNode } from '../xpath2/dom-node.ts';
import { engineMessage } from '../xpath2/engine-message.ts';
import { theEngine } from '../xpath2/engine.ts';
import { isDomNode, optionsFor } from '../xpath2/compile.ts';
import { createFacade } from '../xpath2/facade.ts';

/** Milliseconds that a query may take: it holds up every other message. */
const timeLimit = 5000;

/** A value for an external variable; an element stands for itself, a document for the document around one. */
export type XQueryValue = string | number | boolean | XmlElement | { readonly document: XmlElement };

/** One item of a result: a node, or the text of an atomic value. */
export type XQueryItem = { readonly node: XmlNode } | { readonly text: string };

/** A query; it reads its variables and nothing else. */
export interface XQuery {
  /** @throws EvaluationError for a query that cannot be compiled, fails or takes too long */
  evaluate(scope: Scope, variables: ReadonlyMap<string, XQueryValue>): readonly XQueryItem[];
}

/**
 * Makes a query of XQuery 3.1 from its text. What is wrong with it shows when it is evaluated, as in the original.
 * The engine has no `group by`, no windows and no `try`.
 */
export function createXQuery(source: string): XQuery {
  const text = withItemsAsText(withoutVersion(source));
  return {
    evaluate(scope, variables) {
      const { evaluateXPath } = theEngine();
      const views = new DomViews();
      const values = Object.fromEntries([...variables].map(([name, value]) => [name, toEngine(value, views)]));
      const options = { ...optionsFor({ scope, views }, new Map()), language: evaluateXPath.XQUERY_3_1_LANGUAGE };
      try {
        const results: unknown = withDeadline(timeLimit, () =>
          evaluateXPath(text, null, createFacade(views), values, evaluateXPath.ALL_RESULTS_TYPE, options),
        );
        return (results as readonly unknown[]).map((item) => itemOf(item));
      } catch (error) {
        if (error instanceof DeadlineError) throw new EvaluationError(`the query was ${error.message}`, error);
        throw new EvaluationError(engineMessage(error), error);
      }
    },
  };
}

/** Version declarations say nothing that the engine needs. */
function withoutVersion(source: string): string {
  return source.replace(/^\s*xquery\s+version\s+(?:"[^"]*"|'[^']*')[^;]*;/, '');
}

/** The body of the query, after its prolog, wrapped so that atomic values come out as their own text. */
function withItemsAsText(source: string): string {
  const start = startOfBody(source);
  const body = source.slice(start);
  const item = '$millrace-item';
  return `${source.slice(0, start)} for ${item} in (${body}\n) return if (${item} instance of node()) then ${item} else fn:string(${item})`;
}

/** Where the last declaration of the prolog ends: after the last semicolon outside of texts, comments and braces. */
function startOfBody(source: string): number {
  const prolog = /\s*(?:\(:[^]*?:\)\s*)*(?:declare|import)\b/y;
  let position = 0;
  for (;;) {
    prolog.lastIndex = position;
    if (!prolog.test(source)) return position;
    const end = endOfDeclaration(source, prolog.lastIndex);
    if (end < 0) return position;
    position = end;
  }
}

function endOfDeclaration(source: string, from: number): number {
  const tokens = /"[^"]*"|'[^']*'|\(:[^]*?:\)|[{};]/g;
  tokens.lastIndex = from;
  let depth = 0;
  for (let match = tokens.exec(source); match; match = tokens.exec(source)) {
    if (match[0] === '{') depth++;
    else if (match[0] === '}') depth--;
    else if (match[0] === ';' && depth === 0) return tokens.lastIndex;
  }
  return -1;
}

function toEngine(value: XQueryValue, views: DomViews): unknown {
  if (value instanceof XmlElement) return views.of(value);
  if (typeof value !== 'object') return value;
  return views.of(value.document).parent;
}

function itemOf(item: unknown): XQueryItem {
  if (!isDomNode(item)) return { text: String(item) };
  const node = item.nodeType === nodeTypes.attribute ? undefined : toXmlNode(item);
  return node ? { node } : { text: dataOf(item) };
}

function dataOf({ data }: DomNode): string {
  return data;
}

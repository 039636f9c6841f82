import { compileJavaRegex, type JavaRegex } from '#core/java';
import { synapseCodes } from '#errors';
import type { Message } from '#message';
import type { SourceNode, XmlElement } from '#xml';
import type { CompileContext } from '../context.ts';
import { Fault } from '../fault.ts';
import { declareNamespaces, readExpression, synapseElement, type ExpressionSource, warnOfOthers } from '../reading.ts';
import { readRegex } from './regex.ts';
import { textOfValue } from './typed-value.ts';
import { fragmentNames, splitFragments, type FragmentName, type UrlFragments } from './url-fragments.ts';

const actionTypes = ['set', 'append', 'prepend', 'replace', 'remove', 'remove-query-param'] as const;
type ActionType = (typeof actionTypes)[number];

/** An `<action>` of `<rewrite>`: what happens to one part of the URL (mediators 3.5). */
export interface RewriteAction {
  /** `set` when absent. */
  readonly type: ActionType | undefined;
  /** `full` when absent. */
  readonly fragment: FragmentName | 'full' | undefined;
  readonly value: string | undefined;
  readonly xpath: ExpressionSource | undefined;
  readonly regex: string | undefined;
  readonly resolve: boolean;
}

/** Reads an `<action>`. */
export function readRewriteAction(node: SourceNode): RewriteAction {
  node.knowOnly(['type', 'value', 'xpath', 'fragment', 'regex', 'resolve']);
  const type = node.choice('type', actionTypes, 'set');
  const fragment = node.choice('fragment', [...fragmentNames, 'full'] as const, 'full');
  const value = node.rawAttribute('value');
  if (value === undefined && node.attribute('xpath') === undefined && type !== 'remove') {
    node.error('<action> needs either "value" or "xpath"', { code: 'MR_ARTIFACT_ATTRIBUTE' });
  }
  warnOfOthers(node, ['xpath', 'value']);
  if (type === 'replace') node.required('regex');
  readRegex(node, 'regex');
  if (type === 'remove-query-param' && fragment !== 'query') {
    node.error('remove-query-param is for the fragment "query" only', { attribute: 'type' });
  }
  if (
    fragment === 'port' &&
    value !== undefined &&
    type !== 'remove' &&
    !node.flag('resolve', false) &&
    !isPort(value)
  ) {
    node.error(`a port must be a whole number, found "${value}"`, { attribute: 'value' });
  }
  return {
    type: node.attribute('type') === undefined ? undefined : type,
    fragment: node.attribute('fragment') === undefined ? undefined : fragment,
    value,
    xpath: readExpression(node, 'xpath'),
    regex: node.attribute('regex'),
    resolve: node.flag('resolve', false),
  };
}

/** Writes an `<action>` back. */
export function serializeRewriteAction({ type, fragment, value, xpath, regex, resolve }: RewriteAction): XmlElement {
  const attributes = {
    type,
    value,
    xpath: xpath?.text,
    fragment,
    regex,
    resolve: resolve || undefined,
  };
  return declareNamespaces(synapseElement('action', attributes), [xpath]);
}

/** Changes the parts of a URL for a message. */
export type RewriteStep = (message: Message, fragments: UrlFragments) => UrlFragments;

/**
 * Compiles an action.
 *
 * @throws Fault when it runs, for a port that is no number and a whole URL that is none
 */
export function compileRewriteAction(action: RewriteAction, context: CompileContext): RewriteStep {
  const { type = 'set', fragment = 'full', value, xpath } = action;
  const regex = action.regex === undefined ? undefined : compileJavaRegex(action.regex);
  return (message, fragments) => {
    const result = xpath ? xpath.expression.evaluateString(message) : value;
    if (fragment === 'full') return fragmentsOf(resolved(result ?? '', action, { message, context }) ?? '');
    if (fragment === 'port') {
      const port = result === undefined ? undefined : resolved(result, action, { message, context });
      return { ...fragments, port: portOf(port) };
    }
    const changed = changedText(type, fragments[fragment], { result, regex, fragment });
    const text = changed === undefined ? undefined : resolved(changed, action, { message, context });
    return { ...fragments, [fragment]: text === '' ? undefined : text };
  };
}

interface Operand {
  readonly result: string | undefined;
  readonly regex: JavaRegex | undefined;
  readonly fragment: FragmentName;
}

/** The new text of a fragment; undefined removes it. A value that is not there empties it (mediators 3.5). */
function changedText(type: ActionType, present: string | undefined, operand: Operand): string | undefined {
  const { result, regex, fragment } = operand;
  if (type === 'remove') return undefined;
  if (result === undefined) return undefined;
  const joint = fragment === 'query' && present !== undefined && present !== '' ? '&' : '';
  switch (type) {
    case 'append':
      return `${present ?? ''}${joint}${result}`;
    case 'prepend':
      return `${result}${joint}${present ?? ''}`;
    case 'replace':
      return regex?.replaceAll(present ?? '', result);
    case 'remove-query-param':
      return withoutParameter(present, result);
    case 'set':
      return result;
  }
}

/** Drops the first parameter in which `name=` stands anywhere: `id` takes `uid=1` as well, as in the original. */
function withoutParameter(query: string | undefined, name: string): string | undefined {
  if (query === undefined) return undefined;
  const parts = query.split('&');
  const found = parts.findIndex((part) => part.includes(`${name}=`));
  if (found < 0) return query;
  const rest = parts.toSpliced(found, 1).join('&');
  return rest === '' ? undefined : rest;
}

/** Puts the properties of the message in place of `{name}`; one that is not set empties the fragment. */
function resolved(
  text: string,
  { resolve, fragment }: RewriteAction,
  { message, context }: { message: Message; context: CompileContext },
): string | undefined {
  if (!resolve) return text;
  const missing: string[] = [];
  const result = text.replace(/\{([^{}]+)\}/g, (_whole, name: string) => {
    const value = textProperty(message, name);
    if (value === undefined) missing.push(name);
    return value ?? '';
  });
  if (missing.length === 0) return result;
  context.services.log.error(
    { at: context.id, message: message.id, fragment, missing },
    'a property that <rewrite> puts into a URL is not set; the fragment is emptied',
  );
  return undefined;
}

function portOf(result: string | undefined): string | undefined {
  if (result === undefined) return undefined;
  if (isPort(result)) return String(Number(result));
  throw new Fault({ code: synapseCodes.mediation, message: `The port "${result}" is not a whole number` });
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text);
}

/** Takes a URL apart. @throws Fault for a text that is no URI */
export function fragmentsOf(url: string): UrlFragments {
  const fragments = splitFragments(url);
  if (fragments) return fragments;
  throw new Fault({ code: synapseCodes.mediation, message: `Malformed input URI: ${url}` });
}

/** A property of the default scope as text; undefined when it is not set. */
export function textProperty(message: Message, name: string): string | undefined {
  const value = message.property('default', name);
  return value === undefined || value === null ? undefined : textOfValue(value);
}

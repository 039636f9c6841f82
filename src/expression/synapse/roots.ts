import { bodyOf, serializeXml } from '#xml';
import { EvaluationError } from '../error.ts';
import type { Scope } from '../scope.ts';
import { textOf } from '../text.ts';
import type { PathStep } from '../jsonpath/ast.ts';
import { evaluatePath, keysOf } from '../jsonpath/evaluate.ts';
import { fromJson, fromNative, fromText, isJsonContainer, expectJson, type SynapseValue } from './values.ts';

export type Lookup = (scope: Scope, name: string) => SynapseValue;

function text(value: unknown, what: string): SynapseValue {
  if (value === undefined || value === null) throw new EvaluationError(`${what} does not exist`);
  return fromText(textOf(value));
}

/** The roots that are followed by one name: what they read and which words lead there (runtime-core 8.4). */
export const namedRoots: ReadonlyMap<string, Lookup> = new Map<string, Lookup>([
  ['headers', (scope, name) => text(scope.header(name), `the header "${name}"`)],
  ['props.synapse', (scope, name) => text(scope.property('default', name), `the property "${name}"`)],
  ['props.axis2', (scope, name) => text(scope.property('axis2', name), `the axis2 property "${name}"`)],
  ['params.queryParams', (scope, name) => parameter(scope, 'query.param.', name)],
  ['params.pathParams', (scope, name) => parameter(scope, 'uri.var.', name)],
  ['params.functionParams', (scope, name) => text(scope.templateParameter(name), `the parameter "${name}"`)],
  ['configs', (scope, name) => text(scope.configuration(name), `the configuration value "${name}"`)],
]);

/** Words of older texts and second spellings, with the word that counts. */
export const rootAliases: ReadonlyMap<string, string> = new Map([
  ['var', 'vars'],
  ['properties', 'props'],
  ['attributes', 'props'],
  ['config', 'configs'],
  ['uriParams', 'pathParams'],
]);

function parameter(scope: Scope, prefix: string, name: string): SynapseValue {
  return text(scope.property('default', `${prefix}${name}`), `the parameter "${name}"`);
}

/** A variable. @throws EvaluationError when it does not exist */
export function variable(scope: Scope, name: string): SynapseValue {
  if (!scope.hasVariable(name)) throw new EvaluationError(`the variable "${name}" does not exist`);
  return fromNative(scope.variable(name));
}

/** A reader of the payload, or of what a path in it leads to; bare XML stays XML. It throws EvaluationError without any. */
export function payloadReader(steps: readonly PathStep[]): (scope: Scope) => SynapseValue {
  const keys = keysOf(steps);
  return (scope) => {
    const found = keys && scope.jsonAt(keys);
    return found === undefined ? payload(scope, steps) : fromNative(found);
  };
}

function payload(scope: Scope, steps: readonly PathStep[]): SynapseValue {
  if (steps.length === 0 && !scope.hasJson()) {
    const body = bodyOf(scope.envelope());
    return { kind: 'nodes', nodes: [body], text: serializeXml(body) };
  }
  const value = scope.json();
  if (value === undefined) throw new EvaluationError('the payload is empty');
  return follow(fromJson(value), steps, scope);
}

/** What a path leads to from a value. @throws EvaluationError when it leads nowhere */
export function follow(value: SynapseValue, steps: readonly PathStep[], scope: Scope): SynapseValue {
  if (steps.length === 0) return value;
  const [first, ...rest] = steps;
  if (value instanceof Map && first?.kind === 'names' && first.names.length === 1) {
    const member: unknown = value.get(first.names[0] ?? '');
    if (member !== undefined && !isJsonContainer(member)) return follow(fromNative(member), rest, scope);
  }
  const isCall = first?.kind === 'function' && typeof value === 'string';
  const start = isCall && !/^\s*[{[]/.test(value) ? value : expectJson(value);
  const found = evaluatePath(steps, start, { root: start, scope });
  if (found === undefined) throw new EvaluationError('the path leads to nothing');
  return fromNative(found);
}

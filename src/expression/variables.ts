import type { Scope } from './scope.ts';

/** Prefixes of variables such as `$ctx:name`, and how each finds its value (runtime-core 8.2). */
const sources: ReadonlyMap<string, (scope: Scope, name: string) => unknown> = new Map([
  ['ctx', (scope: Scope, name: string) => scope.property('default', name)],
  ['var', (scope, name) => scope.variable(name)],
  ['trp', (scope, name) => scope.header(name)],
  ['axis2', (scope, name) => scope.property('axis2', name)],
  ['operation', (scope, name) => scope.property('operation', name)],
  ['func', (scope, name) => scope.templateParameter(name)],
  ['sys', (scope, name) => scope.property('system', name)],
  ['url', (scope, name) => queryParameter(scope.to(), name)],
]);

/** True for prefixes that need no namespace declaration. */
export function isVariablePrefix(prefix: string): boolean {
  return sources.has(prefix);
}

/** The value of `$prefix:name`; an unknown prefix names a property that holds a map. */
export function lookupVariable(scope: Scope, prefix: string, name: string): unknown {
  const source = sources.get(prefix);
  if (source) return source(scope, name);
  const map = scope.property('default', prefix);
  return map instanceof Map ? map.get(name) : undefined;
}

/** A query parameter of a path, its name in any case, decoded; empty when absent. */
function queryParameter(target: string, name: string): string {
  const mark = target.indexOf('?');
  if (mark < 0) return '';
  for (const [key, value] of new URLSearchParams(target.slice(mark + 1))) {
    if (key.toLowerCase() === name.toLowerCase()) return value;
  }
  return '';
}

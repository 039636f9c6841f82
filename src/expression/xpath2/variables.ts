import { isXmlNode, isNodeList, textOf } from '../text.ts';
import { JsonNumber } from '#json';
import { messagePart, messageVariables } from '../xpath/message-variables.ts';
import { lookupVariable } from '../variables.ts';
import type { Scope } from '../scope.ts';
import type { DomViews } from './dom-node.ts';

/** A variable with a prefix, such as `$ctx:name`, and the plain name that stands for it in the rewritten text. */
interface PrefixedVariable {
  readonly prefix: string;
  readonly local: string;
  readonly name: string;
}

/** An expression in which every variable has a plain name, and what those names stand for. */
export interface RewrittenVariables {
  readonly text: string;
  readonly prefixed: readonly PrefixedVariable[];
}

const tokens = /'[^']*'|"[^"]*"|\$\s*([A-Za-z_][\w.-]*):([A-Za-z_][\w.-]*)/g;

/** Gives prefixed variables plain names: the engine knows prefixes of namespaces only. */
export function rewriteVariables(text: string): RewrittenVariables {
  const prefixed: PrefixedVariable[] = [];
  const rewritten = text.replaceAll(tokens, (token, prefix: string | undefined, local: string | undefined) => {
    if (prefix === undefined || local === undefined) return token;
    const known = prefixed.find((each) => each.prefix === prefix && each.local === local);
    if (known) return `$${known.name}`;
    const name = `millrace.${prefixed.length}`.replace('.', '-');
    prefixed.push({ prefix, local, name });
    return `$${name}`;
  });
  return { text: rewritten, prefixed };
}

/** The values of the variables for one message; what has no value is the empty sequence. */
export function bindVariables(
  prefixed: readonly PrefixedVariable[],
  scope: Scope,
  views: DomViews,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { prefix, local, name } of prefixed) values[name] = toEngine(lookupVariable(scope, prefix, local), views);
  for (const [name, part] of messageVariables) {
    Object.defineProperty(values, name, {
      enumerable: true,
      configurable: true,
      get: () => views.of(messagePart(part, scope)),
    });
  }
  return values;
}

/** What a property holds, as the engine takes it. */
export function toEngine(value: unknown, views: DomViews): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof JsonNumber) return Number(value.text);
  if (isXmlNode(value)) return views.of(value);
  if (isNodeList(value)) return value.map((node) => views.of(node));
  return textOf(value);
}

import type { AuditEvent } from '#core';
import type { AuditedCall, Operation } from './operation.ts';

/** Characters of a text that an audit record has of what was sent. */
const longestText = 300;

/**
 * What the audit says that a call changed; undefined for a call that is not audited. An operation that declares
 * nothing has its `id` and the parameters of its path.
 */
export function changeOf(
  operation: Operation,
  call: AuditedCall<unknown, unknown, unknown>,
): Pick<AuditEvent, 'action' | 'target' | 'type' | 'info'> | undefined {
  const { audit, id, method } = operation;
  const change = operation.audited?.(call);
  if (change) {
    const [name] = Object.values(change.info);
    const target = typeof name === 'string' || typeof name === 'number' ? `${change.type}:${name}` : change.type;
    return { ...change, target };
  }
  const action = audit ?? (method === 'GET' ? undefined : id);
  if (action === undefined) return undefined;
  return { action, target: call.url.pathname, type: id, info: { ...(call.path as object) } };
}

/**
 * The members of `source` with these names that are texts, numbers, truth values or lists of texts; long texts are cut.
 * What is not named, such as a password, does not get into a record.
 */
export function pick(source: unknown, ...names: readonly string[]): Record<string, unknown> {
  if (typeof source !== 'object' || source === null) return {};
  const found: Record<string, unknown> = {};
  for (const name of names) {
    const value: unknown = Object.hasOwn(source, name) ? (source as Record<string, unknown>)[name] : undefined;
    if (typeof value === 'string') found[name] = value.slice(0, longestText);
    else if (typeof value === 'number' || typeof value === 'boolean') found[name] = value;
    else if (Array.isArray(value)) found[name] = value.filter((each) => typeof each === 'string').slice(0, 100);
  }
  return found;
}

/** A member of `source` in small letters; empty when it is no text. */
export function wordIn(source: unknown, name: string): string {
  const value = pick(source, name)[name];
  return typeof value === 'string' ? value.toLowerCase() : '';
}

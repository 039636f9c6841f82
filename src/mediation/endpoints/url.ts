import { synapseCodes } from '#errors';
import type { Message } from '#message';
import { Fault } from '../fault.ts';
import { textOfValue } from '../shared/typed-value.ts';

export interface UrlParts {
  /** Scheme and authority without a path. */
  readonly origin: string;
  /** Path and query, at least `/`. */
  readonly target: string;
}

/**
 * Splits an absolute http or https URL without decoding anything; a fragment is cut off.
 *
 * @throws Fault 303001 for another scheme or a text that is no URL
 */
export function splitUrl(url: string): UrlParts {
  const match = /^(https?:\/\/[^/?#\s]+)([^#\s]*)(?:#.*)?$/i.exec(url);
  const origin = match?.[1];
  if (origin === undefined) {
    throw new Fault({
      code: synapseCodes.endpointNotReady,
      message: `The address "${url}" is no http or https URL`,
    });
  }
  const rest = match?.[2] ?? '';
  return { origin, target: rest.startsWith('/') ? rest : `/${rest}` };
}

/** Replaces `${name}` by the default-scope property of that name, where it exists (runtime-core 5.1). */
export function substituteProperties(url: string, message: Message): string {
  if (!url.includes('${')) return url;
  return url.replace(/\$\{([^}]+)\}/g, (whole, name: string) => {
    const value = message.properties.get(name);
    return value === undefined ? whole : textOfValue(value);
  });
}

/**
 * Appends the REST suffix of the message, with exactly one slash between; a suffix that starts with `?` follows
 * without one (runtime-core 5.1).
 */
export function withRestSuffix(url: string, message: Message): string {
  const suffix = message.axis2.get('REST_URL_POSTFIX');
  if (typeof suffix !== 'string' || suffix === '' || /^jms:/i.test(url)) return url;
  const base = url.endsWith('/') ? url.slice(0, -1) : url;
  return suffix.startsWith('/') || suffix.startsWith('?') ? base + suffix : `${base}/${suffix}`;
}

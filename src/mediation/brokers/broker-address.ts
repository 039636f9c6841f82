import { MillraceError } from '#errors';

/** An address such as `jms:/Orders?transport.jms.ConnectionFactoryJNDIName=…`. */
export interface BrokerAddress {
  readonly scheme: 'jms' | 'rabbitmq';
  /** What stands behind the slash: a destination or a connection factory. */
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** True when an address is that of a broker. */
export function isBrokerUrl(url: string): boolean {
  // Most addresses are those of HTTP, which one look tells.
  const first = url.charCodeAt(0) | 0x20;
  return (first === 0x6a || first === 0x72) && /^(?:jms|rabbitmq):\//i.test(url);
}

/** True for what stands before the name in the address of a broker. */
export function isBrokerOrigin(origin: string): boolean {
  return origin.endsWith(':');
}

/** An address of a broker without its parameters, among which passwords may be; any other stays as it is. */
export function withoutParameters(url: string): string {
  return isBrokerUrl(url) ? (url.split('?', 1)[0] ?? '') : url;
}

/**
 * Reads the address of a broker. Values may hold `=`, `?` and, where they are escaped, `&`.
 *
 * @throws MillraceError `MR_BROKER_ADDRESS` for anything else, without its parameters
 */
export function parseBrokerAddress(url: string): BrokerAddress {
  const match = /^(jms|rabbitmq):\/+([^?]*)(?:\?(.*))?$/is.exec(url);
  if (!match) {
    const found = withoutParameters(url).slice(0, 100);
    throw new MillraceError({
      code: 'MR_BROKER_ADDRESS',
      message: `expected jms:/NAME?… or rabbitmq:/NAME?…, found "${found}"`,
    });
  }
  const [, scheme = '', name = '', query = ''] = match;
  const parameters = query.split('&').flatMap((part): [string, string][] => {
    const at = part.indexOf('=');
    return at <= 0 ? [] : [[part.slice(0, at).trim(), unescaped(part.slice(at + 1))]];
  });
  return {
    scheme: scheme.toLowerCase() as BrokerAddress['scheme'],
    name: unescaped(name),
    parameters: new Map(parameters),
  };
}

/** What is escaped as in any URL; a per cent sign that escapes nothing stays. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

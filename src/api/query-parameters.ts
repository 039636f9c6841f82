import { synapseCodes } from '#errors';
import { Fault } from '#mediation';
import type { Message } from '#message';

/**
 * Sets `query.param.<name>` for every parameter of a query (runtime-core 2.6): values are form-decoded, names are
 * not, the last of equal names wins, and a part without `=` belongs to the value before it.
 *
 * @throws Fault 400 for a malformed percent escape, with status 400 preset
 */
export function setQueryParameters(message: Message, query: string): void {
  let name: string | undefined;
  let value = '';
  const flush = (): void => {
    if (name !== undefined) message.properties.set(`query.param.${name}`, decode(message, value));
  };
  for (const part of query.split('&')) {
    const equals = part.indexOf('=');
    if (equals < 0) {
      if (name !== undefined) value += `&${part}`;
      continue;
    }
    flush();
    name = part.slice(0, equals);
    value = part.slice(equals + 1);
  }
  flush();
}

function decode(message: Message, value: string): string {
  if (!/[%+]/.test(value)) return value;
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    message.axis2.set('HTTP_SC', 400);
    throw new Fault({
      code: synapseCodes.badPercentEncoding,
      message: `The query parameter value "${value}" is not percent-encoded correctly`,
    });
  }
}

import type { World } from '#artifacts';
import { textOf } from '#expression';
import type { Compiled } from '#mediation';
import {
  bodySourceOf,
  getHeader,
  isTextWrapper,
  Message,
  Payload,
  setHeader,
  type HeaderList,
  type PayloadOrigin,
} from '#message';
import { deepText, serializeXml } from '#xml';
import type { ActualValue } from './actual.ts';
import { wrongActual, type Outcome } from './outcome.ts';
import { typeOf } from './payload-type.ts';
import { SequenceExchange } from './sequence-exchange.ts';
import type { TestCase } from './suite.ts';

/** Most bytes of a body that assertions look at. */
const largestBody = 64 * 1024 * 1024;

/**
 * Runs a sequence on a message made of payload and properties, until everything that it began is over (mediators 17).
 *
 * @throws what the sequence fails with
 */
export async function runSequenceCase(world: World, sequence: Compiled, test: TestCase): Promise<Outcome> {
  const exchange = new SequenceExchange(world.environment);
  const message = messageOf(exchange, test);
  try {
    await sequence(message);
    await exchange.flows?.ended();
  } finally {
    for (const release of exchange.releases ?? []) release();
  }
  if (!message.payload.loaded) await message.payload.load(largestBody);
  return { valueOf: (actual) => valueIn(message, actual) };
}

function messageOf(exchange: SequenceExchange, { payload, properties }: TestCase): Message {
  const headers: string[] = [];
  for (const { name, value, scope } of properties) if (scope === 'transport') setHeader(headers, name, value);
  if (payload !== undefined && getHeader(headers, 'Content-Type') === undefined) {
    setHeader(headers, 'Content-Type', typeOf(payload));
  }
  const source = payload === undefined ? null : bodySourceOf(Buffer.from(payload));
  const message = new Message(exchange, Payload.received(source, originOf(headers)), headers);
  for (const { name, value, scope } of properties) {
    if (scope === 'default') message.properties.set(name, value);
    if (scope === 'axis2') message.axis2.set(name, value);
  }
  return message;
}

function originOf(headers: HeaderList): PayloadOrigin {
  return {
    contentType: getHeader(headers, 'Content-Type'),
    hasSoapAction: getHeader(headers, 'SOAPAction') !== undefined,
    query: '',
  };
}

function valueIn(message: Message, actual: ActualValue): string | undefined {
  switch (actual.kind) {
    case 'body':
      return bodyText(message);
    case 'property': {
      const value = message.property(actual.scope, actual.name);
      return value === undefined || value === null ? undefined : textOf(value);
    }
    case 'expression':
      return actual.template.evaluate(message);
    default:
      throw wrongActual(actual, 'a sequence');
  }
}

/** What is in the body: JSON and text as such, otherwise the first element. */
function bodyText({ payload }: Message): string | undefined {
  const json = payload.jsonText();
  if (json !== undefined) return json;
  const content = payload.content();
  if (isTextWrapper(content)) return deepText(content);
  return content && serializeXml(content);
}

import { getLogger } from '#core';
import { Message, Payload, type MessageExchange } from '#message';
import type { ScriptHost } from '../../src/mediation/script/host.ts';
import { silentEnvironment } from './silent-environment.ts';

/** A message with a JSON payload and nothing around it, as scripts act on it. */
export function testHost(json: string): ScriptHost {
  const exchange = {
    environment: silentEnvironment,
    operation: new Map(),
    answered: false,
    ifNoneMatch: undefined,
    sentAsynchronously: false,
    waits: () => undefined,
    failed: false,
    respondThrough: () => false,
    answer: () => undefined,
  } satisfies MessageExchange;
  const payload = new Payload();
  payload.setJson(json);
  const library = {
    sequence: () => undefined,
    endpoint: () => undefined,
    sequenceTemplate: () => undefined,
    endpointTemplate: () => undefined,
    connector: () => undefined,
    isSwitchedOn: () => undefined,
    secret: () => undefined,
    messageStore: () => undefined,
    priorityExecutor: () => undefined,
    proxy: () => undefined,
    environment: exchange.environment,
    external: () => undefined,
    configuration: () => undefined,
    resource: () => undefined,
    xmlResource: () => undefined,
    lifecycle: { add: () => undefined },
  };
  return { message: new Message(exchange, payload, []), library, log: getLogger('mediation'), at: 'test' };
}

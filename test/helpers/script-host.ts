import { getLogger } from '#core';
import { Message, Payload } from '#message';
import type { ScriptHost } from '../../src/mediation/script/host.ts';
import { silentExchange } from './silent-exchange.ts';

/** A message with a JSON payload and nothing around it, as scripts act on it. */
export function testHost(json: string): ScriptHost {
  const exchange = silentExchange();
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

import { getLogger } from '#core';
import { extensionLog, type LiveContext } from '#mediation';
import { bodySourceOf, Payload } from '#message';
import type { InboundDefinition } from '../definition.ts';
import { injectMessage, originOf } from '../inject.ts';
import type { InboundContext, InboundMessage } from './types.ts';

const log = getLogger('inbound');

/** What a module of one's own sees of the server. */
export function createInboundContext(
  definition: InboundDefinition,
  parameters: Readonly<Record<string, string>>,
  context: LiveContext,
): InboundContext {
  return {
    name: definition.name,
    log: extensionLog(log, context.id),
    parameters,
    async inject(message) {
      const injection = injectionOf(message);
      const { failed } = await context.inWorld((world) => injectMessage(world, injection, { definition, context }));
      return !failed;
    },
  };
}

function injectionOf({ content, contentType, headers = {}, properties = {} }: InboundMessage) {
  const type = contentType ?? (typeof content === 'string' ? 'text/plain' : 'application/octet-stream');
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return {
    payload: bytes === undefined ? new Payload() : Payload.received(bodySourceOf(bytes), originOf(type)),
    headers: [...(bytes === undefined ? [] : ['Content-Type', type]), ...Object.entries(headers).flat()],
    properties,
    streams: true,
  };
}

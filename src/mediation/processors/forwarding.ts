import { getLogger } from '#core';
import { MillraceError, synapseCodes, toError } from '#errors';
import type { Message } from '#message';
import type { LiveWorld } from '../background/live.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import { textOfValue } from '../shared/typed-value.ts';
import { holdsSoapFault } from '../soap-fault.ts';
import type { StoreEntry } from '../stores/message-store.ts';
import type { ProcessorDefinition } from './definition.ts';
import { noteFailure, type Attempt, type Delivery } from './delivery.ts';
import type { Poll } from './processor.ts';

const log = getLogger('mediation.processor');

/**
 * Scheduled forwarding: each message goes to the endpoint until it was taken there, and only then leaves the store
 * (mediators 10).
 */
export function createForwarding(definition: ProcessorDefinition, delivery: Delivery): Poll {
  const { settings, name } = definition;
  const { id, services } = delivery.context;

  /** Sends; true when the endpoint took the message, which then is the answer. */
  const send = async ({ library }: LiveWorld, message: Message): Promise<boolean> => {
    const target = definition.targetEndpoint ?? textOfValue(message.properties.get('target.endpoint'));
    const endpoint = library.endpoint(target);
    if (!endpoint) {
      const text = target === '' ? 'The message names no endpoint' : `There is no endpoint "${target}"`;
      throw new MillraceError({ code: synapseCodes.endpointKeyNotFound, message: text });
    }
    if (settings.deliveredStatuses !== undefined) {
      message.axis2.set('non.error.http.status.codes', settings.deliveredStatuses);
    }
    const flow = await endpoint.send(message, { blocking: true }).catch(async (error: unknown): Promise<Flow> => {
      if (!takesSoapFaults(message)) throw toError(error);
      await message.payload.load(services.settings.maxBodyBytes);
      if (!holdsSoapFault(message)) throw toError(error);
      return CONTINUE;
    });
    await message.payload.load(services.settings.maxBodyBytes);
    if (flow === STOP || !isDelivered(message, settings.deliveredStatuses)) {
      const status = textOfValue(message.axis2.get('HTTP_SC')) || 'no status';
      const text = `The endpoint ${endpoint.name} answered with ${status}`;
      throw new MillraceError({ code: synapseCodes.blockingSenderFailed, message: text });
    }
    return true;
  };

  const once = async (world: LiveWorld, entry: StoreEntry): Promise<Attempt> => {
    const message = delivery.take(world, entry);
    const isOneWay = textOfValue(message.properties.get('OUT_ONLY')) === 'true';
    try {
      await send(world, message);
    } catch (error) {
      // The answer of the endpoint, when there was one, is what the fault sequence sees.
      await message.payload.load(services.settings.maxBodyBytes).catch(() => message.payload.clear());
      noteFailure(message, error, id);
      await delivery.sequence(world, settings.faultSequence, message);
      return 'failed';
    }
    if (isOneWay || !isHttp(message)) {
      await delivery.remove(entry);
      return 'done';
    }
    message.response = true;
    const outcome = await delivery.sequence(world, settings.replySequence, message);
    if (!outcome) {
      log.error(
        { processor: name, message: message.id },
        'there is no reply sequence for the answer, and OUT_ONLY is not set; the processor deactivates itself',
      );
      return 'deactivate';
    }
    if (outcome.flow !== CONTINUE) return 'again';
    await delivery.remove(entry);
    return 'done';
  };

  return {
    async run(pauses) {
      do {
        const entry = await delivery.claim(pauses);
        if (!entry) return;
        try {
          await delivery.attempt(entry, pauses, (world) => once(world, entry));
        } finally {
          delivery.free(entry);
        }
      } while (settings.drainPause !== undefined && (await pauses.wait(settings.drainPause)));
    },
    idle: () => Promise.resolve(),
  };
}

/** True when `RETRY_ON_SOAPFAULT` says that a SOAP fault is an answer, and there was one of the back end at all. */
function takesSoapFaults({ properties }: Message): boolean {
  return textOfValue(properties.get('RETRY_ON_SOAPFAULT')) === 'false' && properties.get('SENDING_FAULT') !== true;
}

/** Status 2xx, or one that counts as delivered as a SOAP fault may; other transports than HTTP have no status. */
function isDelivered(message: Message, delivered: string | undefined): boolean {
  if (!isHttp(message) || (takesSoapFaults(message) && holdsSoapFault(message))) return true;
  const status = textOfValue(message.axis2.get('HTTP_SC'));
  return /^2\d\d$/.test(status) || (delivered ?? '').split(',').some((code) => code.trim() === status && status !== '');
}

function isHttp(message: Message): boolean {
  return /^(?:https?|hl7):/i.test(textOfValue(message.properties.get('ENDPOINT_PREFIX')));
}

import { getLogger } from '#core';
import { messageOf } from '#errors';
import type { LiveContext, Pauses } from '#mediation';
import {
  lookUpBroker,
  lookUpDestination,
  type JmsConnection,
  type JmsConsumer,
  type JmsDestination,
  type Naming,
} from '#transport';
import type { InboundDefinition } from '../definition.ts';
import type { Poller, Polling } from '../poll.ts';
import type { JmsSettings } from './jms-parameters.ts';
import { takeJmsMessage } from './take-message.ts';

const log = getLogger('inbound');

/** Milliseconds that a broker gets at least to hand over the next message. */
const leastWait = 200;
const firstRetry = 1000;
/** A wait without end, which stopping ends. */
const forEver = 2_147_483_647;

/**
 * Takes the messages of a destination each time it looks, until none is left. A broker that cannot be reached is tried
 * again after pauses that double.
 */
export function createJmsPoller(
  definition: InboundDefinition,
  settings: JmsSettings,
  { polling, context }: { polling: Polling; context: LiveContext },
): Poller {
  const { clock, background, settings: mediation } = context.services;
  const { name: inbound } = definition;
  const naming: Naming = {
    properties: new Map(settings.naming),
    pathOf: (path) => background.brokers.pathOf(path),
  };
  const destination = destinationOf(settings, naming);
  const isTopic = destination.kind === 'topic';
  let connection: JmsConnection | undefined;
  let consumer: JmsConsumer | undefined;
  let attempts = 0;
  let notBefore = 0;
  let failures = 0;

  const connect = async (): Promise<JmsConsumer> => {
    if (!connection?.isOpen) {
      consumer = undefined;
      const { provider, url } = lookUpBroker(naming, settings.connectionFactory);
      const { username, password, clientId } = settings;
      connection = await provider.connect({ url, username, password, clientId, clock });
    }
    consumer ??= await connection.consume(destination, settings.subscription);
    return consumer;
  };

  const close = async (what: 'consumer' | 'all'): Promise<void> => {
    const [ending, broken] = [consumer, connection];
    consumer = undefined;
    if (broken?.isOpen) await ending?.close();
    if (what === 'consumer') return;
    connection = undefined;
    await broken?.close();
  };

  const opened = async (): Promise<JmsConsumer | undefined> => {
    if (clock.monotonic() < notBefore) return undefined;
    try {
      const ready = await connect();
      if (attempts > 0) log.info({ inbound }, 'the broker is reached again');
      attempts = 0;
      return ready;
    } catch (error) {
      const pause = Math.min(settings.retryPause, firstRetry * 2 ** Math.min(attempts, 20));
      notBefore = clock.monotonic() + pause;
      const facts = { err: error, inbound, retryIn: pause };
      if (attempts++ === 0) log.error(facts, `the broker cannot be used: ${messageOf(error)}`);
      else log.debug(facts, 'the broker cannot be used yet');
      return undefined;
    }
  };

  /** What is left of one look, for several that take messages at once. */
  const drain = async (from: JmsConsumer, pauses: Pauses): Promise<void> => {
    let busy = 0;
    const wait = settings.receiveTimeout < 0 ? forEver : Math.max(settings.receiveTimeout, leastWait);
    const worker = async (): Promise<void> => {
      while (!pauses.isStopped && clock.monotonic() >= notBefore) {
        const delivery = await from.receive(wait, pauses.signal);
        if (!delivery) {
          if (busy === 0) return;
          continue;
        }
        busy++;
        try {
          const place = { definition, context, settings, naming, connection: connection as JmsConnection };
          count(await takeJmsMessage(delivery, place));
        } finally {
          busy--;
        }
      }
    };
    const most = settings.consumers ?? (polling.sequential ? 1 : (mediation.inboundConcurrency ?? 1));
    // Each consumer of a topic would get a copy of its own.
    const workers = isTopic && settings.subscription.isShared !== true ? 1 : most;
    const ended = await Promise.allSettled(Array.from({ length: workers }, worker));
    const failed = ended.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
  };

  const count = (isTaken: boolean): void => {
    failures = isTaken ? 0 : failures + 1;
    const { mostFailures, suspension } = settings;
    if (mostFailures === undefined || failures <= mostFailures) return;
    failures = 0;
    notBefore = clock.monotonic() + suspension;
    log.warn({ inbound, suspension }, 'messages failed too often; the endpoint takes none for a while');
  };

  return {
    async poll(pauses) {
      const from = await opened();
      if (!from) return;
      try {
        await drain(from, pauses);
      } catch (error) {
        log.error({ err: error, inbound }, `messages cannot be received: ${messageOf(error)}`);
        await close('all');
        return;
      }
      const isSuspended = clock.monotonic() < notBefore;
      if (settings.keeps === 'nothing' && !isTopic) await close('all');
      else if (isSuspended && settings.reconnectsAfterSuspension) await close('all');
      // Whoever leaves a topic misses what is sent to it meanwhile.
      else if (settings.keeps === 'connection' && !isTopic) await close('consumer');
    },
    [Symbol.asyncDispose]: () => close('all'),
  };
}

function destinationOf({ destination, kind }: JmsSettings, naming: Naming): JmsDestination {
  const found = lookUpDestination(naming, destination);
  return kind === undefined ? found : { ...found, kind };
}

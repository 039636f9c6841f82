import { getLogger, type Clock } from '#core';
import { createPauses } from '#mediation';
import type { InboundContext, ListeningConsumer } from './types.ts';

const log = getLogger('inbound');

/** Milliseconds after which what ended by itself is begun again. */
const restartPause = 10_000;

/** Lets a consumer listen until it is disposed; what fails is logged and begun again after a while. */
export function createListening(consumer: ListeningConsumer, context: InboundContext, clock: Clock): AsyncDisposable {
  const pauses = createPauses(clock);
  const stopping = new AbortController();
  const { name: inbound } = context;
  let isReady = false;
  const run = async (): Promise<void> => {
    do {
      try {
        if (!isReady) await consumer.init?.(context);
        isReady = true;
        await consumer.listen(context, stopping.signal);
        if (!pauses.isStopped) log.warn({ inbound }, 'the inbound endpoint has stopped listening by itself');
      } catch (error) {
        if (!pauses.isStopped) log.error({ err: error, inbound }, 'the inbound endpoint cannot listen');
      }
    } while (await pauses.wait(restartPause));
  };
  const running = run();
  return {
    async [Symbol.asyncDispose]() {
      pauses.stop();
      stopping.abort();
      await running;
      try {
        if (isReady) await consumer.destroy?.();
      } catch (error) {
        log.error({ err: error, inbound }, 'the inbound endpoint did not end cleanly');
      }
    },
  };
}

import { getLogger } from '#core';
import type { Message } from '#message';
import { describeFault, faultAt, faultFields } from '../fault.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import type { Compiled } from '../mediator.ts';
import type { LiveWorld } from './live.ts';

const log = getLogger('mediation');

/** How a flow without a client ended. */
export interface BackgroundOutcome {
  /** Whether it ran to its end. */
  readonly flow: Flow;
  /** What failed, whether or not the sequence `fault` dealt with it. */
  readonly failure: unknown;
}

/**
 * Runs a flow of a message that no client waits for, to the end of everything that it began. What fails is logged and
 * goes to the sequence `fault`; nothing is thrown.
 */
export async function runInBackground(
  world: LiveWorld,
  message: Message,
  { id, run }: { id: string; run: Compiled },
): Promise<BackgroundOutcome> {
  const { exchange } = message;
  try {
    const flow = await run(message);
    await exchange.flows?.ended();
    return { flow, failure: undefined };
  } catch (error) {
    await handleFault(world, message, { id, error });
    await exchange.flows?.ended();
    return { flow: STOP, failure: error };
  } finally {
    for (const release of exchange.releases ?? []) release();
  }
}

async function handleFault(
  { library }: LiveWorld,
  message: Message,
  { id, error }: { id: string; error: unknown },
): Promise<void> {
  const fault = faultAt(error, id, undefined);
  describeFault(message, fault);
  message.exchange.failed = true;
  log.warn({ ...faultFields(fault), message: message.id }, 'a message failed; its fault sequence runs');
  try {
    await (library.sequence('fault')?.(message) ?? CONTINUE);
  } catch (second) {
    log.error({ ...faultFields(faultAt(second, id, undefined)), message: message.id }, 'the fault sequence failed');
  }
}

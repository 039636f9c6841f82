import type { LiveArtifact } from '#artifacts';
import { getLogger } from '#core';
import { messageOf } from '#errors';
import type { LiveContext } from '#mediation';
import type { InboundDefinition } from './definition.ts';

const log = getLogger('inbound');

/** Milliseconds after which it is looked whether somebody has decided elsewhere, and begun again what did not begin. */
const roundTime = 10_000;

/** An inbound endpoint that is deployed, as people may steer it. */
export interface RunningInbound extends LiveArtifact {
  /** Resolves after the first attempt to take messages. */
  readonly begun: Promise<void>;
  /** Whether it takes messages on this node. */
  readonly isActive: boolean;
  /** Begins to take messages. @throws MillraceError that says why it cannot */
  activate(): Promise<void>;
  /** Takes no message any more; what is in flight is finished. */
  deactivate(): Promise<void>;
}

/**
 * Lets people switch an endpoint on and off. What they decide is remembered over a restart, unless `preserve.state` is
 * false; until then `suspend` decides. What cannot begin is logged and tried again.
 *
 * @param begin begins to take messages; disposing what it gives ends that
 */
export function startSteered(
  { name, suspend = false, preservesState = true }: InboundDefinition,
  { id, services }: LiveContext,
  begin: () => Promise<AsyncDisposable>,
): RunningInbound {
  const { states } = services.background;
  let isWanted = !suspend;
  let running: AsyncDisposable | undefined;
  let isEnded = false;
  let lastFailure: string | undefined;
  let cancelTimer = (): void => undefined;
  /** One after the other: an end must be over before the next beginning. */
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work, work);
    queue = result.catch(() => undefined);
    return result;
  };

  /** Makes what runs agree with what is wanted. */
  const apply = async (): Promise<void> => {
    if (isWanted && !isEnded) {
      running ??= await begin();
      lastFailure = undefined;
      return;
    }
    const ending = running;
    running = undefined;
    await ending?.[Symbol.asyncDispose]();
  };

  const readState = async (): Promise<void> => {
    if (!preservesState) return;
    try {
      const state = await states.read(id);
      if (state !== undefined) isWanted = state === 'ACTIVE';
    } catch (error) {
      log.error({ err: error, inbound: name }, 'whether the inbound endpoint is active cannot be read');
    }
  };

  const round = async (): Promise<void> => {
    await readState();
    try {
      await apply();
    } catch (error) {
      const reason = messageOf(error);
      if (reason !== lastFailure) log.error({ err: error, inbound: name }, 'the inbound endpoint does not run');
      lastFailure = reason;
    }
    if (!isEnded) cancelTimer = services.clock.after(roundTime, next);
  };
  const next = (): void => void inTurn(round);
  const begun = inTurn(round);

  const decide = (active: boolean): Promise<void> =>
    inTurn(async () => {
      isWanted = active;
      if (preservesState) await states.write(id, active ? 'ACTIVE' : 'INACTIVE');
      await apply();
      log.info({ inbound: name, active }, active ? 'activated' : 'deactivated');
    });

  return {
    begun,
    get isActive() {
      return running !== undefined;
    },
    activate: () => decide(true),
    deactivate: () => decide(false),
    [Symbol.asyncDispose]: () =>
      inTurn(async () => {
        isEnded = true;
        cancelTimer();
        await apply();
      }),
  };
}

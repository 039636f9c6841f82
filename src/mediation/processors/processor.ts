import { getLogger } from '#core';
import { keepLease } from '../background/lease-keeper.ts';
import type { LiveContext } from '../background/live.ts';
import { createPauses, type Pauses } from '../background/pause.ts';
import { isPinnedHere } from '../background/pinning.ts';
import { createSchedule } from '../background/schedule.ts';
import type { ProcessorDefinition } from './definition.ts';
import { createDelivery } from './delivery.ts';
import { createFailover } from './failover.ts';
import { createForwarding } from './forwarding.ts';
import { createSampling } from './sampling.ts';

const log = getLogger('mediation.processor');

/** A message processor as people may steer it. */
export interface RunningProcessor extends AsyncDisposable {
  /** Whether it takes messages, as far as this node knows. */
  readonly isActive: boolean;
  /** Begins to take messages, now and after a restart. */
  activate(): Promise<void>;
  /** Takes no message any more, now and after a restart; what it works on is finished. */
  deactivate(): Promise<void>;
}

/** One poll of a store. */
export interface Poll {
  /** Takes what is there; resolves when it is time to wait for the next poll. */
  run(pauses: Pauses): Promise<void>;
  /** Resolves when nothing that was taken is still under way. */
  idle(): Promise<void>;
}

/**
 * Runs a message processor on one node of the cluster at a time (mediators 10). Whether it is active is remembered: the
 * parameter `is.active` decides only until somebody has decided otherwise.
 */
export function startProcessor(definition: ProcessorDefinition, context: LiveContext): RunningProcessor {
  const { settings } = definition;
  const { states } = context.services.background;
  const { clock } = context.services;
  const zone = context.services.settings.timeZone ?? 'UTC';
  let isActive = settings.isActive;
  let isHeld = false;
  let pauses: Pauses | undefined;
  const loops = new Set<Promise<void>>();
  let members = 0;

  const stop = (): void => {
    pauses?.stop();
    pauses = undefined;
  };

  const decide = async (active: boolean): Promise<void> => {
    isActive = active;
    if (!active) stop();
    await states.write(context.id, active ? 'ACTIVE' : 'INACTIVE');
    log.info({ processor: definition.name, active }, active ? 'activated' : 'deactivated');
    apply();
  };

  const delivery = createDelivery(definition, context, () => decide(false));
  const poll = {
    forwarding: () => createForwarding(definition, delivery),
    failover: () => createFailover(definition, delivery),
    sampling: () => createSampling(definition, delivery),
  }[definition.kind]();

  const loop = async (own: Pauses): Promise<void> => {
    const timing =
      settings.cron === undefined
        ? { interval: settings.interval, count: Number.POSITIVE_INFINITY, delay: 0 }
        : { cron: settings.cron, zone };
    const schedule = createSchedule(timing, clock);
    for (let wait = schedule.untilNext(); wait !== undefined; wait = schedule.untilNext()) {
      if (!(await own.wait(wait))) return;
      try {
        await poll.run(own);
      } catch (error) {
        log.error({ err: error, processor: definition.name }, 'a poll of the message store failed');
      }
    }
  };

  /** One member. What the store holds is given back when the last one has ended. */
  const work = async (own: Pauses): Promise<void> => {
    members++;
    try {
      await loop(own);
    } finally {
      members--;
      if (members === 0) await letGo();
    }
  };

  const letGo = async (): Promise<void> => {
    try {
      await delivery.release();
    } catch (error) {
      log.error({ err: error, processor: definition.name }, 'the message store keeps what it had given');
    }
  };

  /** Makes what runs agree with what is wanted. */
  function apply(): void {
    if (!isHeld || !isActive) return stop();
    if (pauses) return undefined;
    const own = createPauses(clock);
    pauses = own;
    for (let member = 0; member < settings.members; member++) {
      const running = work(own).finally(() => loops.delete(running));
      loops.add(running);
    }
    return undefined;
  }

  const begin = (): AsyncDisposable => {
    isHeld = true;
    apply();
    return {
      async [Symbol.asyncDispose]() {
        isHeld = false;
        stop();
        await Promise.all(loops);
        await poll.idle();
      },
    };
  };

  // Somebody may have decided on another node.
  const listen = async (): Promise<void> => {
    const state = await states.read(context.id);
    if (state !== undefined) isActive = state === 'ACTIVE';
    apply();
  };

  const { pinnedServers } = settings;
  const isHere = isPinnedHere(pinnedServers, context.services.background);
  if (!isHere)
    log.info({ processor: definition.name, pinnedServers }, 'the message processor belongs to other servers');
  const keeper = isHere ? keepLease(context, begin, listen) : undefined;

  return {
    get isActive() {
      return isHere && isActive;
    },
    activate: () => decide(true),
    deactivate: () => decide(false),
    async [Symbol.asyncDispose]() {
      await keeper?.[Symbol.asyncDispose]();
    },
  };
}

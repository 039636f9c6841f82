import { PendingValue } from '#errors';
import { CONTINUE, type Advice, type Compiled, type Flow } from '#mediation';
import type { Message, MessageExchange } from '#message';
import type { DebugPlace } from './place.ts';
import { keyOf, placeOf } from './place.ts';

/** What the debugger tells its client. */
export type DebugEvent =
  | { readonly event: 'started' | 'terminated' | 'resumed client' | 'configuration updated' }
  | { readonly event: 'breakpoint' | 'skip'; readonly place: DebugPlace };

/** Holds messages at breakpoints, one at a time, and leaves out what is to be skipped. */
export interface Suspension {
  readonly advice: Advice;
  /** Points by the keys of their places, each as the client has named it. */
  readonly breakpoints: Map<string, DebugPlace>;
  readonly skips: Map<string, DebugPlace>;
  /** The message that is held; undefined when none is. */
  readonly held: Message | undefined;
  /** Lets the held message go on, to the next mediator or the next breakpoint. False when none is held. */
  resume(step: boolean): boolean;
  /** Forgets every point and lets everybody go. */
  clear(): void;
}

/** Makes a suspension that tells what happens; bodies up to `maxBodyBytes` are loaded before a client looks at them. */
export function createSuspension(maxBodyBytes: number, tell: (event: DebugEvent) => void): Suspension {
  const breakpoints = new Map<string, DebugPlace>();
  const skips = new Map<string, DebugPlace>();
  const known = new WeakSet<MessageExchange>();
  let held: { readonly message: Message; readonly release: (step: boolean) => void } | undefined;
  let stepping: MessageExchange | undefined;
  let turn: Promise<void> = Promise.resolve();

  const hold = async (message: Message, place: DebugPlace): Promise<void> => {
    if (!message.payload.loaded) await message.payload.load(maxBodyBytes);
    const before = turn;
    let done = (): void => undefined;
    turn = new Promise((resolve) => {
      done = resolve;
    });
    await before;
    // Whoever waited for its turn may have been let go meanwhile.
    const key = keyOf(place);
    if (breakpoints.has(key) || stepping === message.exchange) {
      stepping = undefined;
      const isStep = await new Promise<boolean>((release) => {
        held = { message, release };
        tell({ event: 'breakpoint', place: breakpoints.get(key) ?? place });
      });
      held = undefined;
      if (isStep) stepping = message.exchange;
      tell({ event: 'resumed client' });
    }
    done();
  };

  const begin = ({ exchange }: Message): void => {
    if (known.has(exchange)) return;
    known.add(exchange);
    tell({ event: 'started' });
    (exchange.releases ??= []).push(() => {
      if (stepping === exchange) stepping = undefined;
      tell({ event: 'terminated' });
    });
  };

  return {
    breakpoints,
    skips,
    get held() {
      return held?.message;
    },
    resume(step) {
      held?.release(step);
      return held !== undefined;
    },
    clear() {
      breakpoints.clear();
      skips.clear();
      stepping = undefined;
      held?.release(false);
    },
    advice: {
      around(run, { id }) {
        const place = placeOf(id);
        if (!place) return run;
        const key = keyOf(place);
        return (message) => {
          begin(message);
          const skip = skips.get(key);
          if (skip) {
            tell({ event: 'skip', place: skip });
            return CONTINUE;
          }
          const isWanted = breakpoints.has(key) || stepping === message.exchange;
          return isWanted ? hold(message, place).then(() => runOnce(run, message)) : run(message);
        };
      },
    },
  };
}

/** Runs a mediator behind its breakpoint: a value that is not here yet must not lead to the breakpoint again. */
async function runOnce(run: Compiled, message: Message): Promise<Flow> {
  for (;;) {
    try {
      return await run(message);
    } catch (error) {
      if (!(error instanceof PendingValue)) throw error;
      await error.ready;
    }
  }
}

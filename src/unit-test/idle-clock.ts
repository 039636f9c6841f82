import { setTimeout as pause } from 'node:timers/promises';
import { createTestClock, type Clock } from '#core';
import { MillraceError } from '#errors';
import type { HttpSender } from '#transport';

/** A clock for flows that wait: it stands still while something happens, and jumps ahead when everybody waits for it. */
export interface IdleClock {
  readonly clock: Clock;
  /** Counts what `sender` is doing as something that happens. */
  watch(sender: HttpSender): HttpSender;
  /** Waits for `work`, jumping ahead whenever nothing but time is missing. @throws MillraceError when time does not help */
  finish<T>(work: Promise<T>): Promise<T>;
}

/** Milliseconds of silence after which time is what everybody waits for: scripts and transformations need a moment. */
const silence = 150;
/** Milliseconds of its own time within which a test case must end, and how long that may really take. */
const longestCase = 3_600_000;
const longestWait = 60_000;

/** Makes a clock that begins now. */
export function createIdleClock(): IdleClock {
  const clock = createTestClock(Date.now());
  let underWay = 0;
  let lastEvent = performance.now();
  const happen = (change: number): void => {
    underWay += change;
    lastEvent = performance.now();
  };
  return {
    clock,
    watch: (sender) => counted(sender, happen),
    async finish(work) {
      let isOver = false;
      const over = (): void => {
        isOver = true;
      };
      work.then(over, over);
      const began = performance.now();
      const start = clock.monotonic();
      happen(0);
      await Promise.race([work.catch(() => undefined), pause(5)]);
      while (!isOver) {
        await Promise.race([work.catch(() => undefined), pause(10)]);
        if (underWay > 0 || performance.now() - lastEvent < silence) {
          if (performance.now() - began > longestWait) throw endless(`${longestWait / 1000} seconds`);
          continue;
        }
        const next = clock.untilNext();
        if (next === undefined && performance.now() - began < longestWait) continue;
        if (next === undefined || clock.monotonic() - start + next > longestCase) throw endless('an hour');
        clock.advance(next);
        lastEvent = performance.now();
      }
      return work;
    },
  };
}

function endless(time: string): MillraceError {
  return new MillraceError({ code: 'MR_UNIT_TEST_ENDLESS', message: `the test case did not end within ${time}` });
}

function counted(sender: HttpSender, happen: (change: number) => void): HttpSender {
  return {
    send(request, handler) {
      happen(1);
      return sender.send(request, {
        onResponse(response) {
          happen(-1);
          handler.onResponse(response);
        },
        onError(error) {
          happen(-1);
          handler.onError(error);
        },
      });
    },
    [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
  };
}

import { noteIncident, type Message, type Place } from '#message';
import type { CompileContext } from '../context.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import type { Compiled } from '../mediator.ts';
import { Split } from '../split.ts';

/** A split whose branches come back to the flow that was split. */
export interface Gathering {
  readonly context: CompileContext;
  /** False runs a branch only after the one before it has ended. */
  readonly isParallel: boolean;
  /** Milliseconds after which nothing more is waited for; 0 for no end. */
  readonly timeout: number;
  /** Takes the message of a branch that has come to its end; true when no further one is wanted. */
  take(message: Message, index: number): boolean;
  /** Puts what was taken into the flow. */
  finish(): void;
}

export interface GatheredBranch {
  message(): Message;
  readonly run: Compiled;
}

/**
 * Runs branches and goes on with what they gave. It goes on when every branch has come to its end, when enough have,
 * when time is up, and when the rest of them ended another way: then what is missing is recorded.
 */
export function gather(
  message: Message,
  branches: readonly GatheredBranch[],
  gathering: Gathering,
): Flow | Promise<Flow> {
  const { context, timeout } = gathering;
  const { log, clock, branchPool } = context.services;
  const split = new Split(message, { isGathered: true });
  let arrived = 0;
  let isOver = false;
  let cancelTimer = (): void => undefined;
  let goOn: (() => void) | undefined;

  const end = (reason?: string): void => {
    if (isOver) return;
    isOver = true;
    cancelTimer();
    if (reason !== undefined && arrived < branches.length) {
      const facts = { mediator: context.id, arrived, expected: branches.length, reason };
      noteIncident(message, 'incomplete group', facts);
      log.warn({ ...facts, message: message.id }, 'a group is complete with what has arrived');
    }
    goOn?.();
  };

  const arrive = (ended: Message, index: number): void => {
    if (isOver) return;
    arrived++;
    if (gathering.take(ended, index) || arrived === branches.length) end();
  };

  /** What is behind the last mediator of a branch: the place where it is gathered. */
  const placeBehind = (index: number): Place => {
    const { place, frame, handlers } = message;
    let hasCome = false;
    const runFrom = (ended: Message): Flow | Promise<Flow> => {
      if (!ended.payload.loaded) {
        return ended.payload.load(context.services.settings.maxBodyBytes).then(() => runFrom(ended));
      }
      if (!hasCome) arrive(ended, index);
      hasCome = true;
      return STOP;
    };
    return { index: 0, depth: place ? place.depth + 1 : 0, outer: null, frame, handlers, runFrom };
  };

  const make = (branch: GatheredBranch, index: number): Message => {
    const copy = branch.message();
    copy.place = placeBehind(index);
    return copy;
  };

  const runInTurn = async (first: number): Promise<void> => {
    for (let index = first; index < branches.length && !isOver; index++) {
      const branch = branches[index] as GatheredBranch;
      await split.runToEnd(make(branch, index), branch.run);
    }
  };

  const result = (): Flow => {
    // Where nothing came because something failed, the fault sequences had the last word.
    if (arrived === 0 && branches.length > 0 && message.exchange.failed) return STOP;
    gathering.finish();
    return CONTINUE;
  };

  split.onOver(() => end('no branch runs any more'));
  split.enter();
  if (gathering.isParallel) {
    try {
      const copies = branches.map(make);
      for (const [index, copy] of copies.entries())
        split.start(copy, (branches[index] as GatheredBranch).run, branchPool);
    } finally {
      split.leave();
    }
    if (isOver) return result();
    message.waits();
    if (timeout > 0) cancelTimer = clock.after(timeout, () => end(`${timeout} ms are over`));
    return new Promise<void>((resolve) => (goOn = resolve)).then(result);
  }
  message.waits();
  if (timeout > 0) cancelTimer = clock.after(timeout, () => end(`${timeout} ms are over`));
  return new Promise<Flow>((resolve, reject) => {
    goOn = () => resolve(result());
    runInTurn(0)
      .catch(reject)
      .finally(() => split.leave());
  });
}

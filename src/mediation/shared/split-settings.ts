import type { SourceNode } from '#xml';
import { faultAt, type Fault } from '../fault.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import type { Compiled } from '../mediator.ts';
import type { CompileContext } from '../context.ts';
import type { Message } from '#message';
import { raiseFault, Split } from '../split.ts';
import { correlationNames, markBranch } from './correlation.ts';

/** What `clone` and `iterate` have in common. */
export interface SplitSettings {
  readonly id: string | undefined;
  /** True when the flow that is split goes on behind the mediator. */
  readonly continueParent: boolean;
  /** True when a branch begins only after the one before it has ended or waits for a back end. */
  readonly sequential: boolean;
}

export const splitAttributes = ['id', 'continueParent', 'sequential'];

export function readSplitSettings(node: SourceNode): SplitSettings {
  return {
    id: node.attribute('id'),
    continueParent: node.flag('continueParent', false),
    sequential: node.flag('sequential', false),
  };
}

/** The attributes to write back; what is as by default stays away. */
export function splitAttributesOf({
  id,
  continueParent,
  sequential,
}: SplitSettings): Record<string, string | true | undefined> {
  return { id, continueParent: continueParent || undefined, sequential: sequential || undefined };
}

/** One branch to be: the message that it gets, made when its turn comes, and what it runs. */
export interface BranchStart {
  message(): Message;
  readonly run: Compiled;
}

export interface SplitRun {
  readonly settings: SplitSettings;
  readonly context: CompileContext;
  /** What a fault of a branch in turn does to the flow that is split: nothing, or end the loop, or fail it. */
  readonly onFault: 'handle' | 'raise';
}

/** Runs the branches of a split; gives what the mediator says to its own flow (mediators 5.2, 5.3). */
export function runSplit(message: Message, starts: readonly BranchStart[], run: SplitRun): Flow | Promise<Flow> {
  const { settings, context } = run;
  const names = correlationNames(settings.id);
  const split = new Split(message, { id: settings.id });
  const total = starts.length;
  const make = (start: BranchStart, index: number): Message => {
    const copy = start.message();
    markBranch(copy, names, { index, total, of: message.id });
    return copy;
  };
  const result = (): Flow => {
    if (settings.continueParent) return CONTINUE;
    message.waits();
    return STOP;
  };
  if (settings.sequential) return runInTurn();
  split.enter();
  try {
    const { branchPool } = context.services;
    // Every branch gets its message before the first one runs: what is split may be changed by none of them.
    const copies = starts.map(make);
    for (const [index, copy] of copies.entries()) split.start(copy, (starts[index] as BranchStart).run, branchPool);
    return result();
  } finally {
    split.leave();
  }

  function runInTurn(): Flow | Promise<Flow> {
    const turns = new Turns(message, split, run);
    const end = (): Flow => {
      turns.throwFailure();
      return result();
    };
    const leave = (): void => split.leave();
    split.enter();
    let pending: Promise<void> | void = undefined;
    try {
      pending = turns.from(starts.map((start, index) => () => ({ message: make(start, index), run: start.run })));
      if (pending) return pending.finally(leave).then(end);
    } finally {
      if (!pending) leave();
    }
    return end();
  }
}

/** The branches of a sequential split, one after the other on the turn of the flow that is split. */
class Turns {
  readonly #parent: Message;
  readonly #split: Split;
  readonly #run: SplitRun;
  #failure: Fault | undefined;
  #isOver = false;

  constructor(parent: Message, split: Split, run: SplitRun) {
    this.#parent = parent;
    this.#split = split;
    this.#run = run;
  }

  /** Runs the rest of the branches; the promise is there only when one of them has to wait. */
  from(starts: readonly (() => { message: Message; run: Compiled })[], first = 0): void | Promise<void> {
    for (let index = first; index < starts.length && !this.#isOver; index++) {
      const { message, run } = (starts[index] as (typeof starts)[number])();
      const pending = this.#split.runInTurn(message, run, (failed, thrown) => this.#fail(failed, thrown));
      if (pending) return pending.then(() => this.from(starts, index + 1));
    }
    return undefined;
  }

  throwFailure(): void {
    if (this.#failure) throw this.#failure;
  }

  /** A branch of `iterate` fails the flow that was split; one of `clone` has its own handlers. */
  #fail(message: Message, thrown: unknown): Flow | Promise<Flow> {
    if (this.#run.onFault === 'raise') {
      this.#isOver = true;
      this.#failure = faultAt(thrown, this.#run.context.id, undefined);
      return STOP;
    }
    const stops =
      message.properties.get('STOP_TARGET_EXECUTION_ON_FAILURE') ??
      this.#parent.properties.get('STOP_TARGET_EXECUTION_ON_FAILURE');
    if (String(stops) === 'true') this.#isOver = true;
    return raiseFault(message, thrown);
  }
}

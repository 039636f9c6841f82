import { getLogger, type WorkerPool } from '#core';
import { synapseCodes } from '#errors';
import { copyPlaces, FlowCount, noteIncident, type FlowScope, type Message, type MessageBranch } from '#message';
import { cloneNode, XmlElement } from '#xml';
import { Fault, faultAt, faultFields } from './fault.ts';
import { CONTINUE, STOP, type Flow } from './flow.ts';
import type { Compiled } from './mediator.ts';

const log = getLogger('mediation');

/** What becomes of a fault that no sequence inside of a branch has handled. */
type FaultRoute = (message: Message, thrown: unknown) => Flow | Promise<Flow>;

/** One flow of a split. Behind the split it goes on only when it has waited for a back end (mediators 1.5, 5.2). */
export class Branch implements MessageBranch {
  /** Null for a flow that belongs to the exchange as a whole. */
  readonly split: Split | null;
  /** Number of lists around the split: what is outside of them belongs to the flow that was split. */
  readonly depth: number;
  hasWaited: boolean;
  /** True when the next branch begins only at the end of this one. */
  holdsTurn = false;
  /** Lets the next branch begin; calling it again does nothing. */
  free: () => void = () => undefined;

  constructor(split: Split | null, depth: number, goesOn: boolean) {
    this.split = split;
    this.depth = depth;
    this.hasWaited = goesOn;
  }

  waits(): void {
    this.hasWaited = true;
    if (!this.holdsTurn) this.free();
  }

  /** True when a list with that many lists around it is not for this branch. */
  isBeyond(depth: number): boolean {
    return depth <= this.depth && !this.hasWaited;
  }
}

/**
 * The branches into which one message was split. The split is over when the flow of every branch has ended, those
 * into which it was split itself included; what waits for further branches is then told that none will come.
 */
export class Split implements FlowScope {
  /** The `id` of the mediator, which tells the properties of nested splits apart. */
  readonly id: string | undefined;
  /** Identity of the message that was split. */
  readonly correlation: string;
  /** The split in a branch of which this one happened. */
  readonly outer: Split | null;
  /** What has all that it wanted of this split. */
  readonly completed = new Set<object>();
  readonly #scope: FlowScope;
  readonly #depth: number;
  #onOver: (() => void)[] = [];
  #running = 0;

  readonly #isGathered: boolean;

  /** The branches of a split that is gathered go on to where they are gathered; others end unless they waited. */
  constructor(message: Message, { id, isGathered = false }: { id?: string | undefined; isGathered?: boolean } = {}) {
    this.id = id;
    this.#isGathered = isGathered;
    this.correlation = message.id;
    this.outer = branchOf(message)?.split ?? null;
    this.#scope = scopeOf(message);
    this.#depth = message.place ? message.place.depth : -1;
  }

  enter(): void {
    if (this.#running === 0) this.#scope.enter();
    this.#running++;
  }

  leave(): void {
    this.#running--;
    if (this.#running > 0) return;
    const waiting = this.#onOver;
    this.#onOver = [];
    for (const tell of waiting) tell();
    this.#scope.leave();
  }

  /** Calls `tell` when no branch runs any more. */
  onOver(tell: () => void): void {
    this.#onOver.push(tell);
  }

  /**
   * Runs a branch beside the others, when a worker of the pool is free; one that the full pool refuses fails. The
   * message is the branch's own.
   */
  start(message: Message, run: Compiled, pool: WorkerPool | undefined): void {
    const branch = this.#branchOf(message);
    this.enter();
    if (!pool) return this.#run(message, run, raiseFault);
    const isTaken = pool.take((free) => {
      branch.free = free;
      this.#run(message, run, raiseFault);
    });
    if (!isTaken) this.#run(message, refuse, raiseFault);
  }

  /**
   * Runs a branch on the turn of the flow that is split. The promise, if there is one, resolves when the branch has
   * ended or waits for a back end without blocking.
   */
  runInTurn(message: Message, run: Compiled, onFault: FaultRoute): void | Promise<void> {
    return this.#take(this.#branchOf(message), { message, run, onFault });
  }

  /** The same for a branch that the next one waits for until it has ended. */
  runToEnd(message: Message, run: Compiled): void | Promise<void> {
    const branch = this.#branchOf(message);
    branch.holdsTurn = true;
    return this.#take(branch, { message, run, onFault: raiseFault });
  }

  #take(
    branch: Branch,
    { message, run, onFault }: { message: Message; run: Compiled; onFault: FaultRoute },
  ): void | Promise<void> {
    let isFree = false;
    branch.free = () => void (isFree = true);
    this.enter();
    this.#run(message, run, (failed, thrown) =>
      branch.hasWaited ? raiseFault(failed, thrown) : onFault(failed, thrown),
    );
    return isFree ? undefined : new Promise((resolve) => (branch.free = resolve));
  }

  /** Puts the message into a branch of this split. */
  #branchOf(message: Message): Branch {
    const branch = new Branch(this, this.#depth, this.#isGathered);
    message.branch = branch;
    return branch;
  }

  #run(message: Message, run: Compiled, onFault: FaultRoute): void {
    const branch = message.branch as Branch;
    const end = (): void => {
      message.payload.discard();
      branch.free();
      this.leave();
    };
    const flow = runFlow(message, run, onFault);
    if (typeof flow === 'boolean') end();
    else void flow.then(end);
  }
}

/** A copy of a message to be run as a branch, standing where the message stands; what it holds is its own (5.1). */
export function copyForBranch(message: Message, payload?: Message['payload']): Message {
  const copy = message.clone(payload);
  copy.place = copyPlaces(message.place);
  copyValues(copy.properties);
  copyValues(copy.variables);
  return copy;
}

function copyValues(values: Map<string, unknown>): void {
  for (const [name, value] of values) if (typeof value === 'object') values.set(name, copyValue(value));
}

/** A copy of what mediators can change in place: elements, and lists and objects of them. */
function copyValue(value: unknown): unknown {
  if (value instanceof XmlElement) return cloneNode(value);
  if (Array.isArray(value)) return value.map((each) => copyValue(each));
  return value instanceof Map ? new Map([...value].map(([name, each]) => [name, copyValue(each)])) : value;
}

/** Runs a message, which has a branch already, as a flow of its own that counts in `scope` until it ends. */
export function startFlow(message: Message, run: Compiled, scope: FlowScope): void {
  const end = (): void => {
    message.payload.discard();
    scope.leave();
  };
  scope.enter();
  const flow = runFlow(message, run, raiseFault);
  if (typeof flow === 'boolean') end();
  else void flow.then(end);
}

/** What must wait for the flows that a message starts beside its own: its split, or the whole exchange. */
export function scopeOf(message: Message): FlowScope {
  return branchOf(message)?.split ?? (message.exchange.flows ??= new FlowCount());
}

/** The branch that a message runs in. */
export function branchOf({ branch }: Message): Branch | null {
  return branch instanceof Branch ? branch : null;
}

/** Runs a flow to its end, faults included: what it gives never rejects. */
function runFlow(message: Message, run: Compiled, onFault: FaultRoute): Flow | Promise<Flow> {
  const goOn = (flow: Flow): Flow | Promise<Flow> => (flow === STOP ? STOP : goOnBehind(message));
  try {
    const flow = run(message);
    const ended = typeof flow === 'boolean' ? goOn(flow) : flow.then(goOn);
    return typeof ended === 'boolean' ? ended : ended.catch((error: unknown) => onFault(message, error));
  } catch (error) {
    return onFault(message, error);
  }
}

/** Goes on behind the place where a message stands, list by list outwards (runtime-core 3.5). */
function goOnBehind(message: Message): Flow | Promise<Flow> {
  for (let { place } = message; place; place = message.place) {
    if (branchOf(message)?.isBeyond(place.depth)) return CONTINUE;
    message.place = place.outer;
    message.frame = place.frame;
    message.handlers = place.handlers;
    const flow = place.runFrom(message, place.index + 1);
    if (typeof flow !== 'boolean') return flow.then((ended) => (ended ? goOnBehind(message) : STOP));
    if (flow === STOP) return STOP;
  }
  return CONTINUE;
}

/** Lets the handlers that are in force take a fault, innermost first; what nobody takes is told. */
export async function raiseFault(message: Message, thrown: unknown): Promise<Flow> {
  let failure = thrown;
  for (;;) {
    const { handlers } = message;
    if (!handlers) break;
    message.handlers = handlers.outer;
    try {
      await handlers.handle(message, failure);
      return STOP;
    } catch (error) {
      failure = error;
    }
  }
  const fault = faultAt(failure, 'branch', undefined);
  message.exchange.failed = true;
  noteIncident(message, 'fault', faultFields(fault));
  log.error({ ...faultFields(fault), message: message.id }, 'a branch failed and nothing handled it');
  return STOP;
}

const refuse: Compiled = () => {
  throw new Fault({
    code: synapseCodes.mediation,
    message: 'The branch was refused: every worker is busy and the queue is full',
  });
};

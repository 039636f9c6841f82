import {
  FlowCount,
  noteIncident,
  type FaultHandlers,
  type FlowScope,
  type Message,
  type Payload,
  type Place,
  type TemplateFrame,
} from '#message';
import type { CompileContext } from '../context.ts';
import type { Compiled } from '../mediator.ts';
import { Branch, branchOf, startFlow, type Split } from '../split.ts';

/** When a group is complete, and what becomes of it. */
export interface GroupRules {
  /** Milliseconds after the first message at which the group is complete whatever has arrived; 0 for no end. */
  readonly timeout: number;
  /** The number of messages that completes the group, as far as its first message tells. */
  wanted(first: Message): number | undefined;
  /** Makes the payload of a group; `base` is the message that it replaces, `result` the one that gets it. */
  combine(base: Message, messages: readonly Message[], result: Message): Payload;
  /** What runs with the combined message, which then goes on behind the mediator. */
  readonly run: Compiled;
}

/** Where a message stood when it came: the flow that brought it has ended since. */
interface Arrival {
  readonly place: Place | null;
  readonly handlers: FaultHandlers | null;
  readonly frame: TemplateFrame | null;
  readonly branch: Branch | null;
  readonly split: Split | null;
}

interface Group {
  readonly key: string;
  readonly messages: Message[];
  readonly wanted: number | undefined;
  /** Every split that brought a message, and those that may still bring one. */
  readonly origins: Set<Split>;
  readonly expected: Set<Split>;
  /** True when messages of requests to come may belong to it as well. */
  isOpen: boolean;
  last: Arrival;
  cancelTimer: () => void;
}

/** The groups of one aggregate mediator; memory of one process, as in the original. */
export class MessageGroups {
  readonly #groups = new Map<string, Group>();
  readonly #rules: GroupRules;
  readonly #context: CompileContext;

  constructor(rules: GroupRules, context: CompileContext) {
    this.#rules = rules;
    this.#context = context;
  }

  /**
   * Takes a message into its group. `split` is where the messages of the group come from; without one they may come
   * from anywhere. A message that comes after the group was complete is dropped.
   */
  add(key: string, message: Message, split: Split | null): void {
    const { log } = this.#context.services;
    if (split?.completed.has(this)) {
      log.debug({ at: this.#context.id, message: message.id }, 'a message came after its group was complete');
      return;
    }
    const { place, handlers, frame } = message;
    const arrival = { place, handlers, frame, branch: branchOf(message), split };
    const group = this.#groups.get(key) ?? this.#begin(key, message, arrival);
    group.messages.push(message);
    group.last = arrival;
    if (split) this.#expectMore(group, split);
    else group.isOpen = true;
    const isComplete = group.wanted !== undefined && group.messages.length >= group.wanted;
    // What no later message and no time can complete is complete now.
    const isHopeless = group.wanted === undefined && group.isOpen && this.#rules.timeout === 0;
    if (isComplete || isHopeless) this.#complete(group);
  }

  #begin(key: string, first: Message, last: Arrival): Group {
    const { timeout } = this.#rules;
    const group: Group = {
      key,
      messages: [],
      wanted: this.#rules.wanted(first),
      origins: new Set(),
      expected: new Set(),
      isOpen: false,
      last,
      cancelTimer: () => undefined,
    };
    this.#groups.set(key, group);
    if (timeout > 0) {
      const { clock } = this.#context.services;
      group.cancelTimer = clock.after(timeout, () => this.#giveUp(group, `${timeout} ms are over`));
    }
    return group;
  }

  #expectMore(group: Group, split: Split): void {
    if (group.origins.has(split)) return;
    group.origins.add(split);
    group.expected.add(split);
    split.onOver(() => {
      group.expected.delete(split);
      // Every branch has ended, so what is not here by now will never come.
      if (group.expected.size === 0 && !group.isOpen) this.#giveUp(group, 'no branch runs any more');
    });
  }

  /** Completes a group with what has arrived, and records that something is missing. */
  #giveUp(group: Group, reason: string): void {
    const [first] = group.messages;
    if (!first || this.#groups.get(group.key) !== group) return;
    if (group.wanted !== undefined) {
      const facts = { mediator: this.#context.id, arrived: group.messages.length, expected: group.wanted, reason };
      noteIncident(first, 'incomplete group', facts);
      this.#context.services.log.warn({ ...facts, message: first.id }, 'a group is complete with what has arrived');
    }
    this.#complete(group);
  }

  #complete(group: Group): void {
    const { messages, last, origins } = group;
    group.cancelTimer();
    this.#groups.delete(group.key);
    for (const split of origins) split.completed.add(this);
    const first = messages[0] as Message;
    const latest = messages.at(-1) as Message;
    // Whoever sent the first message of several requests may have an answer already.
    const base = first.exchange === latest.exchange ? first : latest;
    const combined = base.clone(base.payload.blank());
    const outer = last.split?.outer ?? null;
    combined.place = last.place;
    combined.handlers = last.handlers;
    combined.frame = last.frame;
    combined.branch = new Branch(outer, last.branch?.depth ?? -1, last.branch?.hasWaited ?? true);
    const scope: FlowScope = outer ?? (combined.exchange.flows ??= new FlowCount());
    const rules = this.#rules;
    startFlow(
      combined,
      (message) => {
        message.payload = rules.combine(base, messages, message);
        return rules.run(message);
      },
      scope,
    );
  }
}

import { TemplateFailure, type Blamed } from './errors.ts';
import { numeric } from './numbers.ts';
import { undefinedFormat, type OutputFormat } from './output-format.ts';
import { defaultSettings, type Settings } from './settings.ts';
import type { Hash, Value } from './values.ts';

/** How much one run may do. */
export interface Limits {
  /** Turns of loops, calls of macros and steps of built-ins over sequences. */
  readonly steps: number;
  /** Characters of output and of captured text. */
  readonly output: number;
  /** Calls of macros and functions within each other. */
  readonly depth: number;
}

export const defaultLimits: Limits = { steps: 1_000_000, output: 32 * 1024 * 1024, depth: 200 };

/** Variables of one block: loop variables, parameters, `<#local>`. */
export interface Frame {
  readonly variables: Map<string, Value>;
  readonly loop?: LoopState;
  readonly outer: Frame | null;
}

/** Where a loop stands; `name` is its first variable. */
export interface LoopState {
  name: string;
  /** The second variable of a loop over a hash. */
  valueName: string | undefined;
  index: number;
  hasNext: boolean;
  item: Value;
  value: Value;
}

/** One call of a macro or function: its own variables and what `<#nested>` runs. */
export interface Call {
  readonly locals: Frame;
  /** The block between the tags of the call. */
  readonly nested: ((values: readonly Value[]) => Signal) | undefined;
  readonly outer: Call | null;
}

/** Why a list of elements ended early. */
export type Signal = 'break' | 'continue' | 'return' | undefined;

export interface EnvironmentOptions {
  readonly root: Hash;
  readonly now: number;
  readonly timeZone: string;
  readonly limits: Limits;
  readonly namespaces: ReadonlyMap<string, string>;
}

/** The state of one run of a template. */
export class Environment {
  out = '';
  frame: Frame | null = null;
  call: Call | null = null;
  /** What `<#return value>` gave. */
  returned: Value = undefined;
  /** The message of the failure that `<#recover>` handles. */
  error: string | undefined;
  readonly root: Hash;
  readonly globals = new Map<string, Value>();
  readonly variables = new Map<string, Value>();
  readonly settings: Settings;
  readonly now: number;
  /** Prefixes of XML namespaces that the header declares. */
  readonly namespaces: ReadonlyMap<string, string>;
  readonly #limits: Limits;
  #steps = 0;
  #depth = 0;
  #captured = 0;

  constructor({ root, now, timeZone, limits, namespaces }: EnvironmentOptions) {
    this.root = root;
    this.now = now;
    this.settings = defaultSettings(timeZone);
    this.#limits = limits;
    this.namespaces = namespaces;
  }

  /** The value of a name, from the innermost block outwards to the data model. */
  lookup(name: string): Value {
    for (let frame = this.frame; frame; frame = frame.outer) {
      const value = frame.variables.get(name);
      if (value !== undefined && value !== null) return value;
    }
    return this.#loopFact(name) ?? this.variables.get(name) ?? this.global(name);
  }

  /** `item_index` and `item_has_next`, the older spellings of `item?index` and `item?has_next`. */
  #loopFact(name: string): Value {
    const suffix = name.endsWith('_index') ? '_index' : name.endsWith('_has_next') ? '_has_next' : undefined;
    const state = suffix === undefined ? undefined : this.loop(name.slice(0, -suffix.length));
    if (!state) return undefined;
    return suffix === '_index' ? numeric(state.index) : state.hasNext;
  }

  global(name: string): Value {
    return this.globals.get(name) ?? this.root.get(name);
  }

  /** The innermost loop that has a variable of this name. */
  loop(name: string): LoopState | undefined {
    for (let frame = this.frame; frame; frame = frame.outer) {
      if (frame.loop?.name === name || frame.loop?.valueName === name) return frame.loop;
    }
    return undefined;
  }

  /** Runs something with one more block of variables. */
  within<T>(frame: Frame, run: () => T): T {
    const outer = this.frame;
    this.frame = frame;
    try {
      return run();
    } finally {
      this.frame = outer;
    }
  }

  write(text: string, blamed: Blamed): void {
    this.out += text;
    if (this.out.length + this.#captured > this.#limits.output) {
      throw new TemplateFailure('limit', `The output is longer than ${this.#limits.output} characters`, blamed);
    }
  }

  /** Runs something and gives its output instead of writing it. */
  capture(run: () => Signal): { readonly text: string; readonly signal: Signal } {
    const outer = this.out;
    this.#captured += outer.length;
    this.out = '';
    try {
      const signal = run();
      return { text: this.out, signal };
    } finally {
      this.out = outer;
      this.#captured -= outer.length;
    }
  }

  /** Counts work. @throws TemplateFailure beyond the limit */
  step(blamed: Blamed, count = 1): void {
    this.#steps += count;
    if (this.#steps > this.#limits.steps) {
      throw new TemplateFailure('limit', `The template takes more than ${this.#limits.steps} steps`, blamed);
    }
  }

  /** Checks that a text may become as long as this. @throws TemplateFailure */
  checkLength(length: number, blamed: Blamed): void {
    if (length > this.#limits.output) {
      throw new TemplateFailure('limit', `A text is longer than ${this.#limits.output} characters`, blamed);
    }
  }

  /** Runs a call one level deeper. @throws TemplateFailure beyond the limit */
  deeper<T>(blamed: Blamed, run: () => T): T {
    this.step(blamed);
    if (this.#depth >= this.#limits.depth) {
      throw new TemplateFailure('limit', `Calls are nested deeper than ${this.#limits.depth}`, blamed);
    }
    this.#depth++;
    try {
      return run();
    } finally {
      this.#depth--;
    }
  }
}

/** What holds for a part of a template when it is compiled: the output format and whether it escapes. */
export interface OutputContext {
  readonly format: OutputFormat;
  readonly isEscaping: boolean;
}

export const plainOutput: OutputContext = { format: undefinedFormat, isEscaping: true };

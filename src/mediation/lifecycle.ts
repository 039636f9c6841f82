import type { Position } from '#errors';

/** Something that an artifact runs besides messages: it begins with the world and ends with it. */
export interface Companion {
  /** Identity of what it belongs to, such as `sequence:main/0`. */
  readonly id: string;
  /** Where that is written; problems are shown there. */
  readonly position?: Position | undefined;
  /** Runs once, before the world serves messages. What it throws keeps the world from being deployed. */
  start?(): void | Promise<void>;
  /** Runs once, after the last message has left the world. */
  stop?(): void | Promise<void>;
}

/** Where artifacts leave their companions while they are compiled. */
export interface Lifecycle {
  add(companion: Companion): void;
}

import type { Key } from '#config';

/** The keys of one grant's section. */
export interface GrantKeys {
  readonly enable: Key<boolean>;
  readonly handler?: Key<string | undefined>;
  readonly validator?: Key<string | undefined>;
}

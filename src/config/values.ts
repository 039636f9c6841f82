import type { Position } from '#errors';
import type { Key } from './catalog/define.ts';
import type { Raw } from './catalog/types.ts';

/** Where a value came from. */
export type Source =
  | {
      readonly kind: 'file';
      readonly position: Position;
      /** The path as the file spells it. */
      readonly written: string;
      /** What went into it besides the file, such as `environment DB_HOST`. */
      readonly from: readonly string[];
    }
  | { readonly kind: 'inferred'; readonly trigger: string }
  | { readonly kind: 'default'; readonly from: readonly string[] }
  | { readonly kind: 'absent' };

/** One value of the configuration. */
export interface Value {
  readonly path: string;
  readonly key: Key<unknown>;
  /** The text, number or list after placeholders. */
  readonly raw: Raw;
  /** What `get` returns. */
  readonly typed: unknown;
  readonly source: Source;
  /** True when the value must not be shown, because of its key or because a secret went into it. */
  readonly secret: boolean;
}

/** The values of the file, or of one table of an array of tables. */
export interface ValueTable {
  readonly position: Position;
  readonly values: ReadonlyMap<string, Value>;
  /** Paths that the file sets, also those whose value was refused. */
  readonly written: ReadonlySet<string>;
  /** Tables that are written, by path. */
  readonly headers: ReadonlyMap<string, Position>;
  readonly lists: ReadonlyMap<string, readonly ValueTable[]>;
}

import type { Rollup } from './rollup-query.ts';

/** Milliseconds. */
export const minute = 60_000;
export const hour = 60 * minute;
const day = 24 * hour;

/** How long one rollup is, and how far back its tier reaches. */
interface Tier {
  readonly length: number;
  readonly reach: number;
}

/** Figures of a day and of a month (management 6.3), the finer the newer; each length is a multiple of the one before. */
export const tiers = {
  fine: { length: minute, reach: 3 * hour },
  middle: { length: 5 * minute, reach: day },
  coarse: { length: hour, reach: 30 * day },
} as const satisfies Readonly<Record<string, Tier>>;

export type TierName = keyof typeof tiers;
/** The finest first. */
export const tierNames = Object.keys(tiers) as readonly TierName[];

/** A rollup with its place. */
export interface KeptRollup {
  readonly tier: TierName;
  readonly group: string;
  readonly node: string;
  readonly rollup: Rollup;
}

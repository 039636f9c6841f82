import { undecided } from './pki.ts';

/** Milliseconds by which the clocks of two machines may differ. */
const skew = 5 * 60_000;
/** Milliseconds for which an answer counts that does not say for how long. */
const defaultValidity = 60 * 60_000;

/** When something was said, and until when it counts. */
export interface Validity {
  readonly thisUpdate: Date;
  readonly nextUpdate: Date | undefined;
}

/**
 * Until when an answer can be used again: its `nextUpdate`; without one it counts now and never again.
 *
 * @throws MillraceError `MR_TLS_REVOCATION_UNKNOWN` for an answer that is not valid now
 */
export function usableUntil({ thisUpdate, nextUpdate }: Validity, now: number): number {
  const from = thisUpdate.getTime();
  if (from > now + skew) throw undecided(`the answer is of a later time, ${thisUpdate.toISOString()}`);
  const until = nextUpdate?.getTime() ?? from + defaultValidity;
  // Not "until < now": a date that is none has to be refused, too.
  if (!(until + skew > now)) throw undecided(`the answer counted until ${new Date(until).toISOString()}`);
  return nextUpdate ? until : now;
}

/** Below this rest, in milliseconds, a token counts as ended (identity 4.7). */
const least = 1000;

/** `expires_in` of a token that never ends: the most that every reader of JSON takes exactly. */
const endless = Number.MAX_SAFE_INTEGER;

/** Milliseconds that are left of a lifetime; endless for a negative one. */
export function remaining(issuedAt: number, lifetime: number, now: number): number {
  return lifetime < 0 ? Number.POSITIVE_INFINITY : issuedAt + lifetime - now;
}

export function isLive(issuedAt: number, lifetime: number, now: number): boolean {
  return remaining(issuedAt, lifetime, now) > least;
}

/** `expires_in`: whole seconds that are left, without any skew. */
export function secondsLeft(issuedAt: number, lifetime: number, now: number): number {
  return lifetime < 0 ? endless : Math.max(0, Math.floor((issuedAt + lifetime - now) / 1000));
}

let second = 0;
let text = '';

/** The present as a `Date` field (RFC 9110, 5.6.7); made once a second. */
export function httpDate(): string {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) {
    second = now;
    text = new Date(now * 1_000).toUTCString();
  }
  return text;
}

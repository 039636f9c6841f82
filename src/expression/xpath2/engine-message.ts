import { messageOf } from '#errors';

/** The part of the engine's message that says what is wrong; the rest shows the text again. */
export function engineMessage(error: unknown): string {
  const message = messageOf(error);
  const place = /XPST0003: Failed to parse script\.[^]*at <>:(\d+):(\d+)/.exec(message);
  if (place) return `XPST0003: the text cannot be read at line ${place[1]}, column ${place[2]}`;
  const told = /(?:X[PQ]|F[OA])[A-Z]{2}\d{4}[^\n]*/.exec(message) ?? /^Error: (.+)$/m.exec(message);
  return told?.[0] ?? message.split('\n', 1)[0] ?? message;
}

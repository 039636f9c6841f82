import type { Message, MessageExchange } from '#message';
import type { NtlmCredentials } from '#transport';

/** Beside the properties, so that no flow, log or trace shows a password. */
const known = new WeakMap<MessageExchange, NtlmCredentials>();

/** Notes by whom the following blocking calls of an exchange are made (mediators 8). */
export function setNtlmCredentials(message: Message, credentials: NtlmCredentials): void {
  known.set(message.exchange, credentials);
}

/** The credentials of a blocking call; undefined when nobody gave any. */
export function ntlmCredentialsOf(message: Message, isBlocking: boolean): NtlmCredentials | undefined {
  return isBlocking ? known.get(message.exchange) : undefined;
}

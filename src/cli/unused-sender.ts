import { MillraceError } from '#errors';
import type { HttpSender } from '#transport';

/** A sender for commands that compile artifacts and never send a message. */
export const unusedSender: HttpSender = {
  send() {
    throw new MillraceError({ code: 'MR_CLI_NO_SENDER', message: 'This command sends no messages' });
  },
  async [Symbol.asyncDispose]() {
    // It holds nothing.
  },
};

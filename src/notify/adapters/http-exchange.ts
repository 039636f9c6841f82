import type { Clock } from '#core';
import { messageOf } from '#errors';
import { readBody, type HeaderList } from '#message';
import type { HttpSender, OutgoingRequest } from '#transport';

/** What came of one request. */
export type Answer =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: HeaderList; readonly text: string }
  | { readonly kind: 'failure'; readonly reason: string };

/** Most bytes of an answer that are read. */
const answerLimit = 64 * 1024;

/** Sends a request and reads the start of its answer; the whole must end within `patience` milliseconds. */
export function exchange(
  request: OutgoingRequest,
  { sender, clock, patience }: { readonly sender: HttpSender; readonly clock: Clock; readonly patience: number },
): Promise<Answer> {
  return new Promise((resolve) => {
    const end = (answer: Answer): void => {
      cancel();
      resolve(answer);
    };
    const cancel = clock.after(patience, () => {
      resolve({ kind: 'failure', reason: `no answer within ${patience} ms` });
      running?.abort();
    });
    let running: ReturnType<HttpSender['send']> | undefined;
    try {
      running = sender.send(request, {
        onError: ({ message, detail }) => end({ kind: 'failure', reason: detail ?? message }),
        onResponse({ status, headers, body }) {
          const answered = (text: string): void => end({ kind: 'answer', status, headers, text });
          // The status is what counts; a body that cannot be read does not undo it.
          if (body)
            readBody(body, answerLimit).then(
              (bytes) => answered(Buffer.from(bytes).toString('utf8')),
              () => answered(''),
            );
          else answered('');
        },
      });
    } catch (error) {
      end({ kind: 'failure', reason: messageOf(error) });
    }
  });
}

/** How a connection ended, and what the other one of two that belong together is told. */
export interface CloseFacts {
  /** The code of the close frame; 1005 for a frame without one, 1006 where none came (RFC 6455, 7.4.1). */
  readonly code: number;
  readonly reason: string;
}

const none = 1005;
const abnormal = 1006;

/**
 * What goes on to a client when its back end has ended its connection; a code that may not be sent becomes one that
 * says the same.
 */
export function closeForClient({ code, reason }: CloseFacts): CloseFacts {
  return code === abnormal ? { code: 1011, reason: 'The back end is gone' } : sendable({ code, reason });
}

/** What goes on to a back end when the client has ended its connection. */
export function closeForBackEnd({ code, reason }: CloseFacts): CloseFacts {
  return code === abnormal ? { code: 1001, reason: 'The client is gone' } : sendable({ code, reason });
}

/** True for a code that a close frame may carry. */
export function isSendableCode(code: number): boolean {
  return (
    (code >= 1000 && code <= 1014 && code !== 1004 && code !== none && code !== abnormal) ||
    (code >= 3000 && code <= 4999)
  );
}

function sendable({ code, reason }: CloseFacts): CloseFacts {
  if (code === none) return { code: none, reason: '' };
  return isSendableCode(code) ? { code, reason } : { code: 1011, reason };
}

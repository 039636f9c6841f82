/** Methods of requests that may be sent again although the far end may have got them (RFC 9110, 9.2.2). */
export const idempotent: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']);

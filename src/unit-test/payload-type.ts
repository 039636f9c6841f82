/** The media type of a payload for which nobody named one. */
export function typeOf(payload: string): string {
  if (/^\s*[[{]/.test(payload)) return 'application/json';
  if (!/^\s*</.test(payload)) return 'text/plain';
  if (payload.includes('http://schemas.xmlsoap.org/soap/envelope/')) return 'text/xml';
  return payload.includes('http://www.w3.org/2003/05/soap-envelope') ? 'application/soap+xml' : 'application/xml';
}

/** The type of a text of which nobody says one: XML and JSON are known by their beginning. */
export function typeOfText(text: string): string {
  const start = text.trimStart();
  if (/^<(?:\?xml[^>]*>\s*<)?[^>]*Envelope[^>]*http:\/\/www\.w3\.org\/2003\/05\/soap-envelope/.test(start)) {
    return 'application/soap+xml; charset=UTF-8';
  }
  if (start.startsWith('<')) return 'text/xml; charset=UTF-8';
  return /^[[{]/.test(start) ? 'application/json; charset=UTF-8' : 'text/plain; charset=UTF-8';
}

/** The media type of a Content-Type value: up to `;` or `,`, trimmed (runtime-core 6.2 rule 1). */
export function mediaTypeOf(contentType: string): string {
  const end = contentType.search(/[;,]/);
  return (end < 0 ? contentType : contentType.slice(0, end)).trim();
}

/** Patterns of parameters by their names, of which there are few. */
const parameterPatterns = new Map<string, RegExp>();

/** A parameter of a Content-Type value, such as `charset` or `boundary`, without quotes; undefined when absent. */
export function parameterOf(contentType: string, name: string): string | undefined {
  if (!contentType.includes(';')) return undefined;
  let pattern = parameterPatterns.get(name);
  if (!pattern) {
    pattern = new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;,\\s]*))`, 'i');
    parameterPatterns.set(name, pattern);
  }
  const match = pattern.exec(contentType);
  return match ? (match[1]?.replaceAll(/\\(.)/g, '$1') ?? match[2]) : undefined;
}

/** The media types that make a message "REST" where SOAP is the other choice (runtime-core 5.1). */
export function isSoapMediaType(mediaType: string): boolean {
  return mediaType === 'text/xml' || mediaType === 'application/soap+xml';
}

/** True for the types that can bring an envelope with headers of its own. */
export function mayBeEnvelope(contentType: string | undefined): boolean {
  const mediaType = mediaTypeOf(contentType ?? '').toLowerCase();
  return isSoapMediaType(mediaType) || mediaType === 'multipart/related';
}

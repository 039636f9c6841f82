/**
 * A time as ISO 8601 writes it, of an ISO date or an LDAP time (RFC 4517 §3.3.13); undefined for what is neither.
 */
export function isoTime(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const generalized = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:[.,]\d+)?Z$/.exec(text);
  const iso = generalized ? text.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d).*$/, '$1-$2-$3T$4:$5:$6Z') : text;
  const time = Date.parse(iso);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

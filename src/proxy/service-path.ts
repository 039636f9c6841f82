/** A request's path, taken apart. */
export interface ServicePath {
  /** The name of the service, as it is deployed. */
  readonly name: string;
  /** The port after the name, as in `/services/Quote.QuoteHttpSoap11Endpoint`. */
  readonly port: string | undefined;
  /** What follows the service, with the query. */
  readonly postfix: string;
}

/** The tenant whose services also stand below `/services/t/<tenant>`; there is no other one yet. */
const tenants = ['carbon.super'];

const prefixes = ['/services/', '/soap/'];

/** The folder below which services stand, and what follows it; undefined for other paths. */
function belowServices(target: string): string | undefined {
  const prefix = prefixes.find((each) => target.startsWith(each));
  if (prefix === undefined) return undefined;
  const rest = target.slice(prefix.length);
  for (const tenant of tenants) if (rest.startsWith(`t/${tenant}/`)) return rest.slice(`t/${tenant}/`.length);
  return rest;
}

/**
 * Finds the service that a request means: the longest path below `/services/` that names one, alone or with a port
 * behind a period.
 *
 * @param has tells whether a service of a name is deployed
 */
export function findService(target: string, has: (name: string) => boolean): ServicePath | undefined {
  const below = belowServices(target);
  if (below === undefined) return undefined;
  const question = below.indexOf('?');
  const path = question < 0 ? below : below.slice(0, question);
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const written = path.slice(0, end);
    const decoded = decodedName(written);
    if (decoded === undefined) return undefined;
    const postfix = below.slice(end);
    if (has(decoded)) return { name: decoded, port: undefined, postfix };
    const period = decoded.lastIndexOf('.');
    if (period > Math.max(0, decoded.lastIndexOf('/')) && has(decoded.slice(0, period))) {
      return { name: decoded.slice(0, period), port: decoded.slice(period + 1), postfix };
    }
  }
  return undefined;
}

function decodedName(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // A name that cannot be decoded belongs to no service, which is all that this asks.
    return undefined;
  }
}

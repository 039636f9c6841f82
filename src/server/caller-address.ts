import { BlockList, isIP } from 'node:net';
import { MillraceError } from '#errors';
import { getHeader } from '#message';
import type { RequestHandler } from '#transport';

/**
 * Lets the handler see who really calls: behind a trusted proxy the last address of `X-Forwarded-For` that is not
 * trusted itself stands in for the peer's. The header goes on as it came.
 *
 * @param trusted addresses and networks in CIDR notation
 * @throws MillraceError for what is neither
 */
export function resolveCaller(handler: RequestHandler, trusted: readonly string[]): RequestHandler {
  const isTrusted = createTrust(trusted);
  return (request, responder) => {
    const { headers, peer } = request;
    if (getHeader(headers, 'X-Forwarded-For') === undefined || !isTrusted(peer.address)) {
      handler(request, responder);
      return;
    }
    const address = callerIn(forwardedIn(headers), isTrusted);
    handler(address === undefined ? request : { ...request, peer: { ...peer, address } }, responder);
  };
}

function createTrust(trusted: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of trusted) {
    const [network = '', bits] = entry.trim().split('/');
    const version = isIP(network);
    const prefix = bits === undefined ? undefined : Number(bits);
    const isValid = prefix === undefined || (/^\d+$/.test(bits ?? '') && prefix <= (version === 4 ? 32 : 128));
    if (version === 0 || !isValid) {
      throw new MillraceError({
        code: 'MR_CONFIG_ADDRESS',
        message: `millrace.trusted_proxies holds addresses and networks such as 10.0.0.0/8; found "${entry}"`,
      });
    }
    const family = version === 4 ? 'ipv4' : 'ipv6';
    if (prefix === undefined) list.addAddress(network, family);
    else list.addSubnet(network, prefix, family);
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

/** Every address of every `X-Forwarded-For`, in their order. */
function forwardedIn(headers: readonly string[]): string[] {
  return headers.flatMap((name, index) =>
    index % 2 === 0 && name.toLowerCase() === 'x-forwarded-for'
      ? (headers[index + 1] ?? '').split(',').map((part) => plainAddress(part.trim()))
      : [],
  );
}

/** Without port and brackets, which some proxies write. */
function plainAddress(text: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

/** From the right, the first one that no trusted proxy stands behind; what is no address ends the search. */
function callerIn(addresses: readonly string[], isTrusted: (address: string) => boolean): string | undefined {
  let caller: string | undefined;
  for (const address of addresses.toReversed()) {
    if (isIP(address) === 0) return caller;
    caller = address;
    if (!isTrusted(address)) return caller;
  }
  return caller;
}

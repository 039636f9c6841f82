import { BlockList, isIP, isIPv4 } from 'node:net';
import { getAttribute, type SourceNode } from '#xml';

const throttleNamespace = 'http://www.wso2.org/products/wso2commons/throttle';

const callerTypes = ['IP', 'DOMAIN'] as const;

/** Which callers a group of a policy stands for. */
export interface CallerId {
  readonly type: (typeof callerTypes)[number];
  /** As written; `other` for whoever no group names. */
  readonly text: string;
  /** How exactly it fits a caller: the highest wins; 0 when it does not fit. */
  fits(caller: string): number;
}

/** Reads `<throttle:ID throttle:type="IP|DOMAIN">`; undefined when it is wrong, which is reported. */
export function readCallerId(node: SourceNode): CallerId | undefined {
  const attribute = node.element.attributes.find(({ local, uri }) => local === 'type' && uri === throttleNamespace);
  const written = attribute?.value ?? getAttribute(node.element, 'type');
  const type = callerTypes.find((each) => each === written);
  const text = node.text();
  if (!type) {
    node.error(`the type of <ID> must be one of ${callerTypes.join(', ')}; found "${written ?? ''}"`);
    return undefined;
  }
  if (text === 'other') return { type, text, fits: () => 1 };
  if (type === 'DOMAIN') return { type, text, fits: domainFit(text) };
  const fits = addressFit(text);
  if (fits) return { type, text, fits };
  node.error(`<ID> must be "other", an address, a range such as 10.0.0.1-10.0.0.9, or a network; found "${text}"`);
  return undefined;
}

/** An exact name wins over `*.` with its longest suffix, that over a shorter one. */
function domainFit(text: string): CallerId['fits'] {
  const wanted = text.toLowerCase();
  const suffix = wanted.startsWith('*.') ? wanted.replace(/^(?:\*\.)+/, '.') : undefined;
  return (caller) => {
    const name = caller.trim().toLowerCase();
    if (name === wanted) return Number.MAX_SAFE_INTEGER;
    if (suffix === undefined || !`.${name}`.endsWith(suffix)) return 0;
    return 1 + suffix.length;
  };
}

/** An exact address wins over a range or network, the smaller network over the larger. */
function addressFit(text: string): CallerId['fits'] | undefined {
  if (isIP(text) !== 0) return (caller) => (caller === text ? Number.MAX_SAFE_INTEGER : 0);
  const list = new BlockList();
  const [first = '', last = ''] = text.split('-').map((part) => part.trim());
  const [network = '', bits = ''] = text.split('/');
  const wildcard = /^(\d{1,3}(?:\.\d{1,3}){2})\.\*$/.exec(text)?.[1];
  let exactness = 200;
  if (isIP(first) !== 0 && isIP(first) === isIP(last)) {
    try {
      list.addRange(first, last, familyOf(first));
    } catch {
      // The end stands before the beginning.
      return undefined;
    }
  } else if (isIP(network) !== 0 && isPrefix(network, bits)) {
    list.addSubnet(network, Number(bits), familyOf(network));
    exactness = 2 + Number(bits);
  } else if (wildcard !== undefined && isIPv4(`${wildcard}.0`)) {
    list.addSubnet(`${wildcard}.0`, 24, 'ipv4');
    exactness = 26;
  } else {
    return undefined;
  }
  return (caller) => (isIP(caller) !== 0 && list.check(caller, familyOf(caller)) ? exactness : 0);
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

function isPrefix(network: string, bits: string): boolean {
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv4(network) ? 32 : 128);
}

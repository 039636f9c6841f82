import { getLogger } from '#core';
import { jmsError } from './provider.ts';

const log = getLogger('transport.jms');

/** One broker behind an address. */
export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
  readonly usesTls: boolean;
  /** Who connects, where the address itself says so. */
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly options: ReadonlyMap<string, string>;
}

/** What one kind of client takes for an address. */
export interface UrlDialect {
  /** Whose addresses they are. */
  readonly product: string;
  /** Schemes, and whether they mean TLS. */
  readonly schemes: ReadonlyMap<string, boolean>;
  readonly port: number;
  readonly tlsPort: number;
  readonly example: string;
}

/** What an address says: the brokers to try, and options of the connection. */
export interface BrokerUrl {
  readonly brokers: readonly BrokerAddress[];
  /** Whether they are tried in any order. */
  readonly isRandom: boolean;
  readonly options: ReadonlyMap<string, string>;
}

/**
 * Reads an address: one broker, or `failover:(…)` with several.
 *
 * @throws MillraceError `MR_JMS_URL` for anything else, with what is expected
 */
export function parseBrokerUrl(text: string, dialect: UrlDialect): BrokerUrl {
  const url = text.trim();
  const failover = /^failover:(?:\/\/)?(?:\((.*)\)(?:\?(.*))?|([^()]*))$/s.exec(url);
  if (!failover) {
    const broker = parseAddress(url, dialect);
    return { brokers: [broker], isRandom: false, options: broker.options };
  }
  const [, list, query = '', bare = ''] = failover;
  const options = optionsOf(query);
  const brokers = (list ?? bare).split(/,(?![^(]*\))/).map((each) => parseAddress(each.trim(), dialect));
  const common = new Map([...(brokers[0]?.options ?? []), ...options]);
  return { brokers, isRandom: options.get('randomize') !== 'false', options: common };
}

function parseAddress(text: string, dialect: UrlDialect): BrokerAddress {
  const { product, schemes, port: plainPort, tlsPort, example } = dialect;
  const refuse = (why: string): never => {
    throw jmsError('MR_JMS_URL', `"${withoutSecrets(text)}" ${why}; expected ${example}`);
  };
  const match = /^([a-z+]+):\/\/(?:([^/?@]*)@)?([^/?]*)[^?]*(?:\?(.*))?$/is.exec(text);
  const scheme = (match?.[1] ?? text.split(':')[0] ?? '').toLowerCase();
  const usesTls = schemes.get(scheme);
  if (scheme === 'vm') return refuse('means a broker inside of a Java program');
  if (!match || usesTls === undefined) return refuse(`is no address of ${product} that can be used`);
  const place = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(match[3] ?? '');
  if (!place) return refuse('names no host');
  const [, host = '', port] = place;
  const [username, password] = (match[2] ?? '').split(':', 2).map((part) => decodeURIComponent(part));
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: port === undefined ? (usesTls ? tlsPort : plainPort) : Number(port),
    usesTls,
    username: username === '' ? undefined : username,
    password,
    options: optionsOf(match[4] ?? ''),
  };
}

function optionsOf(query: string): ReadonlyMap<string, string> {
  return new Map(new URLSearchParams(query));
}

/** An address as people may see it. */
export function withoutSecrets(url: string): string {
  return url.replace(/(password=)[^&)]*/gi, '$1…').replace(/\/\/[^/@]*@/g, '//…@');
}

/** The order in which the brokers are tried. */
export function brokersToTry({ brokers, isRandom }: BrokerUrl): readonly BrokerAddress[] {
  if (!isRandom) return brokers;
  return brokers
    .map((broker) => ({ broker, rank: Math.random() }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ broker }) => broker);
}

/** Tries one broker after the other. @throws what the last one threw */
export async function firstThatWorks<B extends Pick<BrokerAddress, 'host' | 'port'>, T>(
  brokers: readonly B[],
  connect: (broker: B) => Promise<T>,
): Promise<T> {
  let failure: unknown = jmsError('MR_JMS_URL', 'the address names no broker');
  for (const broker of brokers) {
    try {
      return await connect(broker);
    } catch (error) {
      failure = error;
      log.debug({ err: error, broker: `${broker.host}:${broker.port}` }, 'a broker could not be reached');
    }
  }
  throw failure;
}

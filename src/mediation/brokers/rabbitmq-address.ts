import { MillraceError } from '#errors';
import { readKeyStoreFile, tlsOptions, type KeyStoreEntry } from '#keystore';
import type { AmqpTls } from '#transport';

/** Names of versions of TLS, and what they mean. */
export const rabbitmqVersions: ReadonlyMap<string, AmqpTls['version']> = new Map([
  ['SSL', undefined],
  ['TLS', undefined],
  ['TLSv1.2', 'TLSv1.2'],
  ['TLSv1.3', 'TLSv1.3'],
]);

/** The members of a cluster: lists of hosts and of ports of one length. @throws MillraceError `MR_STORE_HOSTS` */
export function rabbitmqMembers(hosts = 'localhost', ports = '5672'): readonly { host: string; port: number }[] {
  const names = hosts.split(',').map((each) => each.trim());
  const numbers = ports.split(',').map((each) => each.trim());
  if (names.length !== numbers.length) {
    const found = `found ${names.length} and ${numbers.length}`;
    throw new MillraceError({ code: 'MR_STORE_HOSTS', message: `there must be as many hosts as ports; ${found}` });
  }
  return names.map((host, index) => {
    const port = numbers[index] ?? '';
    if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return { host, port: Number(port) };
    throw new MillraceError({ code: 'MR_STORE_HOSTS', message: `expected the number of a port, found "${port}"` });
  });
}

/** TLS as `rabbitmq.connection.ssl.…` say it. @throws MillraceError for a key store that cannot be read */
export function rabbitmqTls(valueOf: (name: string) => string | undefined, pathOf: (path: string) => string): AmqpTls {
  const entriesOf = (kind: string): readonly KeyStoreEntry[] | undefined => {
    const location = valueOf(`rabbitmq.connection.ssl.${kind}.location`);
    if (location === undefined) return undefined;
    const password = valueOf(`rabbitmq.connection.ssl.${kind}.password`) ?? '';
    return readKeyStoreFile({ file: pathOf(location), password });
  };
  return {
    ...tlsOptions({ keyStore: entriesOf('keystore'), trustStore: entriesOf('truststore') }),
    version: rabbitmqVersions.get(valueOf('rabbitmq.connection.ssl.version') ?? 'TLS'),
  };
}

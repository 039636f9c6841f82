import { securityFileOf } from '#config';
import { readKeyStoreFile, tlsOptions, type KeyStoreEntry } from '#keystore';
import type { NamedStore, PortTls } from '#mediation';
import type { ClientCheck, ListenerTls } from '#transport';
import type { ServerContext } from './context.ts';
import { cipherList, tlsVersions } from './tls-protocols.ts';

/** Key material of a port, and the files that it came from. */
export interface InboundTls {
  readonly material: ListenerTls;
  readonly files: readonly string[];
}

/**
 * Reads the key material of an inbound endpoint. What the endpoint does not name is as on the HTTPS listener for APIs.
 *
 * @param checkClient looks at certificates of the endpoint's clients
 * @throws MillraceError for a store that cannot be read and for unknown versions of TLS
 */
export async function readInboundTls(
  { home, tls }: ServerContext,
  wanted: PortTls,
  checkClient: ClientCheck | undefined,
): Promise<InboundTls> {
  const { protocols, ciphers, verifyClient } = wanted;
  const common = await tls.listener('api');
  const keyStore = wanted.keyStore && readStore(home.directory, wanted.keyStore);
  const trustStore = wanted.trustStore && readStore(home.directory, wanted.trustStore);
  return {
    material: {
      ...common,
      // Asking for certificates, and about them, is the endpoint's own decision.
      verifyClient: verifyClient ?? 'none',
      checkClient,
      ...tlsOptions({ keyStore: keyStore?.entries, trustStore: trustStore?.entries }),
      ...(protocols ? tlsVersions(protocols, 'HttpsProtocols') : {}),
      ...cipherList(ciphers, 'PreferredCiphers'),
    },
    files: [keyStore, trustStore].flatMap((store) => store?.file ?? []),
  };
}

function readStore(
  home: string,
  { location, password, keyPassword }: NamedStore,
): {
  file: string;
  entries: readonly KeyStoreEntry[];
} {
  const file = securityFileOf(home, location);
  return { file, entries: readKeyStoreFile({ file, password, ...(keyPassword ? { keyPassword } : {}) }) };
}

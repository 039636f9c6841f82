import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { isAbsolute, join } from 'node:path';
import { securityFileOf } from '#config';
import { getLogger } from '#core';
import { MillraceError } from '#errors';
import { readKeyStoreFile, tlsOptions, type KeyStoreEntry } from '#keystore';
import type { ListenerTls } from '#transport';
import { childElements, deepText, parseXml, type XmlElement } from '#xml';
import { cipherList, tlsVersions } from './tls-protocols.ts';

const log = getLogger('server');

/** Key material for some hosts only. */
export interface TlsProfile {
  /** Back ends as `host:port` or `*`; for a listener its own addresses, or names that clients ask for. */
  readonly names: readonly string[];
  readonly tls: ListenerTls;
  /** The files that it was read from. */
  readonly files: readonly string[];
}

/** What the file of a sender and that of a listener have different. */
const kinds = {
  sender: { element: 'servers', meaning: 'the back ends, as host:port' },
  listener: { element: 'bindAddress', meaning: 'the addresses of the listener' },
} as const;

/**
 * Reads the profiles of a sender or a listener (`ssl_profile.file_path`): `<profile>` elements with `<servers>` or
 * `<bindAddress>`, `<KeyStore>`, `<TrustStore>`, `<SSLVerifyClient>`, `<HttpsProtocols>` and `<PreferredCiphers>`.
 *
 * @param path relative to the home
 * @returns none when there is no such file
 * @throws MillraceError `MR_TLS_PROFILE` or that of the key store, for what cannot be read
 */
export function readTlsProfiles(home: string, path: string, kind: keyof typeof kinds): readonly TlsProfile[] {
  const file = fileOf(home, path);
  if (file === undefined) return [];
  let root: XmlElement;
  try {
    ({ root } = parseXml(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw failure(`${file} is not well-formed: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  return profilesIn(root).map((profile) => readProfile(profile, { home, file, kind }));
}

function fileOf(home: string, path: string): string | undefined {
  const candidates = isAbsolute(path) ? [path] : [join(home, path), securityFileOf(home, path)];
  return candidates.find((candidate) => existsSync(candidate));
}

function profilesIn(element: XmlElement): readonly XmlElement[] {
  return childElements(element).flatMap((child) => (child.local === 'profile' ? [child] : profilesIn(child)));
}

interface Place {
  readonly home: string;
  readonly file: string;
  readonly kind: keyof typeof kinds;
}

function readProfile(profile: XmlElement, place: Place): TlsProfile {
  const { element, meaning } = kinds[place.kind];
  const names = listOf(textIn(profile, element)).map((name) => name.toLowerCase());
  if (names.length === 0) throw failure(`a <profile> of ${place.file} needs <${element}>: ${meaning}`);
  const keyStore = readStore(profile, 'KeyStore', place);
  const trustStore = readStore(profile, 'TrustStore', place);
  const protocols = listOf(textIn(profile, 'HttpsProtocols'));
  const verifyClient = place.kind === 'listener' ? verificationOf(profile, names, place.file) : undefined;
  if (textIn(profile, 'novalidatecert') === 'true') {
    log.warn({ file: place.file, names }, '<novalidatecert> is ignored: certificates are always checked');
  }
  if (childElements(profile).some(({ local }) => local === 'CertificateRevocationVerifier')) {
    const key = 'transport.passthru_https.listener.cert_revocation_validation';
    log.warn({ file: place.file, names }, `<CertificateRevocationVerifier> is ignored: ${key} counts for all profiles`);
  }
  return {
    names,
    tls: {
      ...tlsOptions({ keyStore: keyStore?.entries, trustStore: trustStore?.entries }),
      ...(protocols.length > 0 ? tlsVersions(protocols, `<HttpsProtocols> of ${place.file}`) : {}),
      ...cipherList(listOf(textIn(profile, 'PreferredCiphers')), `<PreferredCiphers> of ${place.file}`),
      ...(verifyClient === undefined ? {} : { verifyClient }),
    },
    files: [place.file, ...[keyStore, trustStore].flatMap((store) => store?.file ?? [])],
  };
}

/** Undefined leaves it to the listener. Whether clients are asked is settled before they say a name. */
function verificationOf(
  profile: XmlElement,
  names: readonly string[],
  file: string,
): 'none' | 'optional' | 'require' | undefined {
  const text = textIn(profile, 'SSLVerifyClient');
  if (text === '') return undefined;
  if (names.some((name) => isIP(name) === 0)) {
    throw failure(`<SSLVerifyClient> of ${file} needs addresses in <bindAddress>, found ${names.join(', ')}`);
  }
  if (text === 'none' || text === 'optional' || text === 'require') return text;
  throw failure(`<SSLVerifyClient> of ${file} must be none, optional or require, found "${text}"`);
}

function readStore(
  profile: XmlElement,
  name: 'KeyStore' | 'TrustStore',
  { home, file: source }: Place,
): { readonly file: string; readonly entries: readonly KeyStoreEntry[] } | undefined {
  const element = childElements(profile).find(({ local }) => local === name);
  if (!element) return undefined;
  const location = textIn(element, 'Location');
  const password = textIn(element, 'Password');
  if (location === '' || password === '') throw failure(`<${name}> of ${source} needs <Location> and <Password>`);
  const file = securityFileOf(home, location);
  const keyPassword = textIn(element, 'KeyPassword');
  return { file, entries: readKeyStoreFile({ file, password, ...(keyPassword === '' ? {} : { keyPassword }) }) };
}

function textIn(element: XmlElement, name: string): string {
  const child = childElements(element).find(({ local }) => local === name);
  return child ? deepText(child).trim() : '';
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function failure(message: string, cause?: unknown): MillraceError {
  return new MillraceError({ code: 'MR_TLS_PROFILE', message, cause });
}

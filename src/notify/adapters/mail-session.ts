import type { PropertyProblem } from './adapter.ts';

/** How to reach a mail server, read from properties of JavaMail's names. */
export interface MailSession {
  readonly host: string;
  readonly port: number;
  readonly from: string;
  /** Name of the sender beside the address. */
  readonly displayName: string | undefined;
  readonly replyTo: string | undefined;
  /** TLS from the first byte. */
  readonly isSecure: boolean;
  /** The connection must change to TLS before anything is sent. */
  readonly startsTls: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
  /** Client credentials for XOAUTH2, instead of a password. */
  readonly grant: ClientGrant | undefined;
  readonly tls: Readonly<Record<string, unknown>>;
  /** How we name ourselves; the host's own name when absent. */
  readonly localHost: string | undefined;
  readonly mechanism: string | undefined;
  readonly timeouts: { readonly connect: number | undefined; readonly read: number | undefined };
}

export interface ClientGrant {
  readonly user: string;
  readonly endpoint: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: string | undefined;
}

const tlsVersions: Readonly<Record<string, string>> = { 'TLSv1.2': 'TLSv1.2', 'TLSv1.3': 'TLSv1.3' };
const implicitTlsPort = 465;

/** Checks of properties that have a form; everything else is text. */
const rules: readonly (readonly [key: string, test: (value: string) => boolean, rule: string])[] = [
  ['mail.smtp.port', isPort, 'must be a port'],
  ['mail.smtp.socketFactory.port', isPort, 'must be a port'],
  ['mail.smtp.connectiontimeout', isCount, 'must be a number of milliseconds'],
  ['mail.smtp.timeout', isCount, 'must be a number of milliseconds'],
  ...['auth', 'starttls.enable', 'starttls.required', 'ssl.enable', 'ssl.checkserveridentity'].map(
    (name) => [`mail.smtp.${name}`, isFlag, 'must be true or false'] as const,
  ),
  ['mail.smtp.authType', (value) => /^(?:BASIC|CLIENT_CREDENTIAL)$/.test(value), 'must be BASIC or CLIENT_CREDENTIAL'],
  [
    'mail.smtp.ssl.protocols',
    (value) =>
      value
        .trim()
        .split(/\s+/)
        .every((each) => tlsVersions[each] !== undefined),
    'must name TLSv1.2, TLSv1.3 or both',
  ],
  ['mail.smtp.from', (value) => /^[^\s@<>]+@[^\s@<>]+$/.test(value), 'must be an address of mail'],
];

/** The first property whose value cannot be used. */
export function sessionProblem(properties: ReadonlyMap<string, string>): PropertyProblem | undefined {
  for (const [key, test, rule] of rules) {
    const value = properties.get(key);
    if (value !== undefined && value !== '' && !test(value)) return { key, rule };
  }
  return undefined;
}

/**
 * Reads the properties of a mail session.
 *
 * @param trusted certificates of our trust store
 * @returns the key without which nothing can be sent, where it is missing
 */
export function mailSessionOf(
  properties: ReadonlyMap<string, string>,
  trusted: readonly string[] | undefined,
): MailSession | { readonly missing: string } {
  const read = (name: string): string | undefined => properties.get(`mail.smtp.${name}`) || undefined;
  const is = (name: string): boolean => read(name)?.toLowerCase() === 'true';
  const host = read('host');
  const from = read('from');
  if (from === undefined) return { missing: 'mail.smtp.from' };
  if (host === undefined) return { missing: 'mail.smtp.host' };
  const user = read('user');
  const port = Number(read('port') ?? 25);
  const isSecure =
    port === implicitTlsPort ||
    is('ssl.enable') ||
    (read('socketFactory.class')?.endsWith('SSLSocketFactory') ?? false);
  const byGrant = read('authType') === 'CLIENT_CREDENTIAL';
  return {
    host,
    port,
    from,
    displayName: read('signature'),
    replyTo: read('replyTo'),
    isSecure,
    startsTls: !isSecure && (is('starttls.enable') || is('starttls.required')),
    credentials: is('auth') && !byGrant && user !== undefined ? { user, password: read('password') ?? '' } : undefined,
    grant: byGrant
      ? {
          user: user ?? from,
          endpoint: read('tokenEndpoint') ?? '',
          clientId: read('clientId') ?? '',
          clientSecret: read('clientSecret') ?? '',
          scopes: read('scopes'),
        }
      : undefined,
    tls: tlsOf({ host, read }, trusted),
    localHost: read('localhost'),
    mechanism: read('auth.mechanisms')?.trim().split(/\s+/)[0],
    timeouts: { connect: count(read('connectiontimeout')), read: count(read('timeout')) },
  };
}

/** Which certificates are believed, and which versions are spoken. */
function tlsOf(
  { host, read }: { readonly host: string; readonly read: (name: string) => string | undefined },
  trusted: readonly string[] | undefined,
): Readonly<Record<string, unknown>> {
  const exempt = read('ssl.trust')?.trim().split(/\s+/) ?? [];
  const versions = (read('ssl.protocols')?.trim().split(/\s+/) ?? []).sort();
  return {
    rejectUnauthorized: !exempt.includes('*') && !exempt.includes(host),
    ...(trusted && { ca: trusted }),
    ...(versions.length > 0 && { minVersion: versions[0], maxVersion: versions.at(-1) }),
    // A switch of JavaMail for servers behind other names.
    ...(read('ssl.checkserveridentity') === 'false' && { checkServerIdentity: () => undefined }),
  };
}

function count(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function isPort(text: string): boolean {
  return isCount(text) && Number(text) > 0 && Number(text) < 65_536;
}

function isCount(text: string): boolean {
  return /^\d{1,9}$/.test(text);
}

function isFlag(text: string): boolean {
  return /^(?:true|false)$/i.test(text);
}

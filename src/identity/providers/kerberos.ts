import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock } from '#core';
import { MillraceError, toError } from '#errors';
import { DerProblem } from './kerberos/der.ts';
import { encryptionTypes } from './kerberos/encryption.ts';
import { requestOfToken } from './kerberos/gss-token.ts';
import { readKeytab, type KeytabKey } from './kerberos/keytab.ts';
import { readAuthenticator, readRequest, readTicket, type Sealed, type ServiceRequest } from './kerberos/messages.ts';
import type { KerberosService } from './provider.ts';

/**
 * Accepts a ticket (GSS-API, SPNEGO; base64) for a service and gives the principal of who sent it.
 *
 * @throws MillraceError `MR_KERBEROS` for a ticket that is not good
 */
export type AcceptTicket = (ticket: string, service: KerberosService) => Promise<string>;

export interface KerberosParts {
  readonly clock: Clock;
  /** Remembers what came, for all nodes; false when it came before. */
  readonly used: {
    use(once: { readonly issuer: string; readonly id: string; readonly expires: number }): Promise<boolean>;
  };
  /** The keytab with the keys of services. */
  readonly keytab: string;
  /** Milliseconds that clocks may differ (RFC 4120 §1.6 recommends five minutes). */
  readonly skew: number;
}

/** Key usages of RFC 4120 §7.5.1. */
const usages = { ticket: 2, authenticator: 11 } as const;

/** Bits of options and flags, counted from the left. */
const useSessionKey = 1 << 30;
const isInvalid = 1 << 24;

/** Type of the checksum that GSS-API puts into an authenticator (RFC 4121 §4.1.1). */
const gssChecksum = 0x8003;

/** The keytab of the environment, else that of the system. */
export function keytabOf(environment: NodeJS.ProcessEnv): string {
  return (environment['KRB5_KTNAME'] ?? '/etc/krb5.keytab').replace(/^FILE:/, '');
}

/** What accepts tickets with the keys of a keytab, or with the password of the service (RFC 4120 §3.2.3). */
export function openKerberos({ clock, used, keytab, skew }: KerberosParts): AcceptTicket {
  return async (token, service) => {
    try {
      const request = readRequest(requestOfToken(Buffer.from(token, 'base64')));
      if (!isFor(request.service, service.principal)) {
        throw refused(`The ticket is for ${request.service}, not for ${service.principal}`);
      }
      if ((request.options & useSessionKey) !== 0) throw refused('The ticket is for a service of a user');
      const keys = await keysOf(request, service, keytab);
      const ticket = readTicket(open(request.ticket, keys, usages.ticket));
      const session = [{ type: ticket.type, key: ticket.key }];
      const sender = readAuthenticator(open(request.authenticator, session, usages.authenticator));
      const now = clock.now();
      if ((ticket.flags & isInvalid) !== 0 || ticket.begins - skew > now) throw refused('The ticket is not valid yet');
      if (ticket.ends + skew < now) throw refused('The ticket has ended');
      if (sender.client !== ticket.client) throw refused('The ticket is of another user');
      if (Math.abs(sender.at - now) > skew) throw refused('The clock of the client is wrong');
      if (sender.checksum !== gssChecksum) throw refused('The request was not made for GSS-API');
      const id = createHash('sha256').update(request.authenticator.cipher).digest('base64url');
      const isNew = await used.use({ issuer: `kerberos:${service.principal}`, id, expires: now + 2 * skew });
      if (!isNew) throw refused('The ticket came before');
      return ticket.client;
    } catch (error) {
      if (error instanceof DerProblem || error instanceof RangeError) {
        throw refused(`The ticket cannot be read: ${error.message}`);
      }
      throw error;
    }
  };
}

/** Names of hosts are written as one likes; `SPNName` may leave the realm out. */
function isFor(found: string, wanted: string): boolean {
  const full = wanted.includes('@') ? found : (found.split('@', 1)[0] ?? '');
  return full.toLowerCase() === wanted.toLowerCase();
}

type Key = Pick<KeytabKey, 'type' | 'key'>;

/** The keys of the service for a ticket: those of the keytab, else the one that the password gives. */
async function keysOf({ ticket, service }: ServiceRequest, given: KerberosService, keytab: string): Promise<Key[]> {
  const all = await readKeys(keytab, given.password === undefined);
  const own = all.filter(({ principal, type }) => isFor(principal, service) && type === ticket.type);
  const ofVersion = own.filter(({ version }) => version === ticket.version);
  const found: Key[] = ofVersion.length > 0 ? ofVersion : own;
  if (found.length > 0) return found;
  const type = encryptionTypes.find(({ number }) => number === ticket.type);
  if (!type) throw refused(`The ticket is encrypted with type ${ticket.type}, which is not accepted`);
  if (given.password === undefined) throw refused(`The keytab has no key of ${service} of type ${ticket.type}`);
  // The salt of a principal is its realm and its names (RFC 4120 §4).
  const [names = '', realm = ''] = service.split('@');
  return [{ type: ticket.type, key: type.keyOfPassword(given.password, realm + names.replaceAll('/', '')) }];
}

/** The keytab, read for each ticket: keys change while the server runs, and people sign in seldom. */
async function readKeys(keytab: string, isNeeded: boolean): Promise<readonly KeytabKey[]> {
  try {
    return readKeytab(await readFile(keytab));
  } catch (error) {
    if (!isNeeded && (error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    const cause = toError(error);
    throw refused('The keys of the service cannot be read', `${keytab}: ${cause.message}`, cause);
  }
}

/** Decrypts with the first key that fits. */
function open({ type: number, cipher }: Sealed, keys: readonly Key[], usage: number): Buffer {
  const type = encryptionTypes.find((each) => each.number === number);
  if (!type) throw refused(`Encryption of type ${number} is not accepted`);
  for (const { type: ofKey, key } of keys) {
    if (ofKey !== number || key.length !== type.keyBytes) continue;
    const plain = type.decrypt(key, usage, cipher);
    if (plain) return plain;
  }
  throw refused('The ticket was not encrypted with the key of the service');
}

function refused(message: string, detail?: string, cause?: Error): MillraceError {
  return new MillraceError({
    code: 'MR_KERBEROS',
    status: 400,
    message,
    ...(detail !== undefined && { detail }),
    ...(cause && { cause }),
  });
}

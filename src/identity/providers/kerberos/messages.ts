import { contentOf, DerProblem, integerOf, readAll, readDer, readFields, type DerValue } from './der.ts';

/** Something encrypted, with what it was encrypted with. */
export interface Sealed {
  readonly type: number;
  readonly version: number | undefined;
  readonly cipher: Buffer;
}

/** A request to a service (RFC 4120 §5.5.1). */
export interface ServiceRequest {
  readonly options: number;
  /** Whom the ticket is for, with the realm. */
  readonly service: string;
  readonly ticket: Sealed;
  readonly authenticator: Sealed;
}

/** What a ticket says to its service (RFC 4120 §5.3); times in milliseconds since the epoch. */
export interface TicketContent {
  readonly flags: number;
  readonly type: number;
  readonly key: Buffer;
  readonly client: string;
  readonly begins: number;
  readonly ends: number;
}

/** By what the sender shows that the ticket is its own (RFC 4120 §5.5.1). */
export interface AuthenticatorContent {
  readonly client: string;
  readonly at: number;
  /** Type of the checksum; that of GSS-API is 0x8003 (RFC 4121 §4.1.1). */
  readonly checksum: number | undefined;
}

export function readRequest(bytes: Buffer): ServiceRequest {
  const fields = messageOf(bytes, 0x6e, 'an AP-REQ');
  if (integerOf(fields.get(0), 'the version') !== 5) throw new DerProblem('the request is not of Kerberos 5');
  if (integerOf(fields.get(1), 'the kind') !== 14) throw new DerProblem('the message is no AP-REQ');
  const ticket = readFields(readDer(contentOf(fields.get(3), 0x61, 'the ticket')).value, 'the ticket');
  return {
    options: flagsOf(fields.get(2), 'the options'),
    service: principalOf(ticket.get(2), ticket.get(1), 'the service'),
    ticket: sealedOf(ticket.get(3), 'the ticket'),
    authenticator: sealedOf(fields.get(4), 'the authenticator'),
  };
}

export function readTicket(plain: Buffer): TicketContent {
  const fields = messageOf(plain, 0x63, 'the content of the ticket');
  const key = readFields(fields.get(1), 'the key of the session');
  return {
    flags: flagsOf(fields.get(0), 'the flags'),
    type: integerOf(key.get(0), 'the type of the key'),
    key: contentOf(key.get(1), 0x04, 'the key'),
    client: principalOf(fields.get(3), fields.get(2), 'the client'),
    begins: timeOf(fields.get(6) ?? fields.get(5), 'the beginning'),
    ends: timeOf(fields.get(7), 'the end'),
  };
}

export function readAuthenticator(plain: Buffer): AuthenticatorContent {
  const fields = messageOf(plain, 0x62, 'the content of the authenticator');
  const checksum = fields.get(3);
  return {
    client: principalOf(fields.get(2), fields.get(1), 'the client'),
    at: timeOf(fields.get(5), 'the time') + Math.floor(integerOf(fields.get(4), 'the microseconds') / 1000),
    checksum: checksum && integerOf(readFields(checksum, 'the checksum').get(0), 'the kind of checksum'),
  };
}

/** The fields of a message, which is a SEQUENCE in a tag of its own. */
function messageOf(bytes: Buffer, tag: number, name: string): ReadonlyMap<number, DerValue> {
  return readFields(readDer(contentOf(readDer(bytes).value, tag, name)).value, name);
}

function sealedOf(value: DerValue | undefined, name: string): Sealed {
  const fields = readFields(value, name);
  const version = fields.get(1);
  return {
    type: integerOf(fields.get(0), name),
    version: version && integerOf(version, name),
    cipher: contentOf(fields.get(2), 0x04, name),
  };
}

/** `name/name@REALM`. */
function principalOf(name: DerValue | undefined, realm: DerValue | undefined, what: string): string {
  const parts = contentOf(readFields(name, what).get(1), 0x30, what);
  const names = readAll(parts).map((part) => contentOf(part, 0x1b, what).toString('utf8'));
  return `${names.join('/')}@${contentOf(realm, 0x1b, what).toString('utf8')}`;
}

/** The first 32 bits of a BIT STRING. */
function flagsOf(value: DerValue | undefined, name: string): number {
  const content = contentOf(value, 0x03, name);
  if (content.length < 5) throw new DerProblem(`${name}: fewer than 32 bits`);
  return content.readUInt32BE(1);
}

function timeOf(value: DerValue | undefined, name: string): number {
  const text = contentOf(value, 0x18, name).toString('latin1');
  const [, year, month, day, hour, minute, second] = (/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? []).map(
    Number,
  );
  if (year === undefined || month === undefined) throw new DerProblem(`${name}: "${text}" is no time`);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

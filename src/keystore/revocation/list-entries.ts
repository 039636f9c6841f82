import { childOf, childrenOf, der, derTags, objectIdentifierOf, readDer, type DerNode } from '../der.ts';
import { undecided } from './pki.ts';

const booleanTag = 0x01;
const reasonIdentifier = '2.5.29.21';
const times: ReadonlySet<number> = new Set([derTags.utcTime, derTags.generalizedTime]);

/** A list as two parts: its entries are many and all alike, so they are read here in one pass. */
export interface ListParts {
  /** What was signed. */
  readonly signed: Uint8Array;
  /** The list as it would be without entries. */
  readonly frame: Uint8Array;
  /** Serial numbers of revoked certificates, as hexadecimal digits without leading zeros. */
  readonly serials: ReadonlySet<string>;
}

/**
 * Takes a CertificateList (RFC 5280, 5.1) apart.
 *
 * @throws MillraceError `MR_TLS_REVOCATION_UNKNOWN` for entries that say more than is understood, `MR_KEYSTORE_MALFORMED`
 */
export function readListParts(bytes: Uint8Array): ListParts {
  const list = readDer(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const [signed, ...signature] = childrenOf(list);
  if (!signed) throw undecided('there is no revocation list');
  const fields = childrenOf(signed);
  // The one sequence that follows a time, be it thisUpdate or nextUpdate.
  const place = fields.findIndex(
    ({ tag }, index) => tag === derTags.sequence && times.has(fields[index - 1]?.tag ?? 0),
  );
  const entries = fields[place];
  const others = place < 0 ? fields : fields.toSpliced(place, 1);
  const frame = der(derTags.sequence, ...others.map((field) => field.bytes));
  return {
    signed: signed.bytes,
    frame: der(derTags.sequence, frame, ...signature.map((part) => part.bytes)),
    serials: new Set(entries ? childrenOf(entries).map(serialOf) : []),
  };
}

function serialOf(entry: DerNode): string {
  const [serial, , extensions] = childrenOf(entry);
  if (serial?.tag !== derTags.integer) throw undecided('an entry of the list has no serial number');
  for (const extension of extensions ? childrenOf(extensions) : []) checkExtension(extension);
  return digitsOf(serial.value);
}

/** A critical extension may say that the entry is about a certificate of another issuer. */
function checkExtension(extension: DerNode): void {
  const { tag, value } = childOf(extension, 1);
  if (tag !== booleanTag || value[0] === 0) return;
  const identifier = objectIdentifierOf(childOf(extension, 0));
  if (identifier === reasonIdentifier) return;
  throw undecided(`an entry of the list has the extension ${identifier}, which is not understood`);
}

/** A serial number as lists have it. */
export function digitsOf(serial: Uint8Array): string {
  return Buffer.from(serial.buffer, serial.byteOffset, serial.byteLength).toString('hex').replace(/^0+/, '');
}

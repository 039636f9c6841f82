import { createHmac, randomBytes } from 'node:crypto';
import type { NtlmCredentials } from '../contract.ts';
import { md4 } from './md4.ts';

/** Text in UTF-16, NTLM with extended session security, 128 and 56 bit keys (MS-NLMP 2.2.2.5). */
const offeredFlags = 0xa0088205;
const signature = Buffer.from('NTLMSSP\0', 'latin1');
/** The header of an authenticate message without version and integrity code. */
const authenticateHeader = 64;
const timestampId = 7;

/** What the far end says in its challenge. */
export interface NtlmChallenge {
  readonly flags: number;
  readonly nonce: Buffer;
  readonly targetInfo: Buffer;
}

/** What makes an answer differ from time to time; given in tests. */
export interface NtlmMoment {
  readonly nonce: Buffer;
  /** Hundreds of nanoseconds since 1601. */
  readonly time: bigint;
}

/** The first message: what we can. */
export function negotiateMessage(): Buffer {
  const message = Buffer.alloc(32);
  signature.copy(message);
  message.writeUInt32LE(1, 8);
  message.writeUInt32LE(offeredFlags, 12);
  return message;
}

/** Reads the second message. @throws Error for what is none */
export function readChallenge(message: Buffer): NtlmChallenge {
  const isChallenge = message.length >= 32 && message.subarray(0, 8).equals(signature) && message.readUInt32LE(8) === 2;
  if (!isChallenge) throw new Error('the challenge is no NTLM challenge');
  const hasInfo = message.length >= 48;
  const length = hasInfo ? message.readUInt16LE(40) : 0;
  const offset = hasInfo ? message.readUInt32LE(44) : 0;
  if (offset + length > message.length) throw new Error('the challenge ends before its target information does');
  return {
    flags: message.readUInt32LE(20),
    nonce: message.subarray(24, 32),
    targetInfo: message.subarray(offset, offset + length),
  };
}

/** The third message: proof of the password by NTLMv2 (MS-NLMP 3.3.2). */
export function authenticateMessage(
  credentials: NtlmCredentials,
  challenge: NtlmChallenge,
  moment: NtlmMoment = { nonce: randomBytes(8), time: fileTime(Date.now()) },
): Buffer {
  const { user, domain, host } = credentials;
  const { nt, lm } = responsesTo(challenge, credentials, moment);
  const parts = [lm, nt, utf16(domain), utf16(user), utf16(host), Buffer.alloc(0)];
  const header = Buffer.alloc(authenticateHeader);
  signature.copy(header);
  header.writeUInt32LE(3, 8);
  let offset = authenticateHeader;
  for (const [index, part] of parts.entries()) {
    const field = 12 + index * 8;
    header.writeUInt16LE(part.length, field);
    header.writeUInt16LE(part.length, field + 2);
    header.writeUInt32LE(offset, field + 4);
    offset += part.length;
  }
  header.writeUInt32LE((challenge.flags & offeredFlags) >>> 0, 60);
  return Buffer.concat([header, ...parts]);
}

/** The two responses; the older one stays empty where the far end sent its time (MS-NLMP 3.1.5.1.2). */
export function responsesTo(
  { nonce: serverNonce, targetInfo }: NtlmChallenge,
  { user, password, domain }: NtlmCredentials,
  { nonce, time }: NtlmMoment,
): { readonly nt: Buffer; readonly lm: Buffer } {
  const key = hmac(md4(utf16(password)), utf16(user.toUpperCase() + domain));
  const serverTime = timeIn(targetInfo);
  const blob = Buffer.alloc(28);
  blob.writeUInt16LE(0x0101, 0);
  blob.writeBigUInt64LE(serverTime ?? time, 8);
  nonce.copy(blob, 16);
  const rest = Buffer.concat([blob, targetInfo, Buffer.alloc(4)]);
  const proof = hmac(key, Buffer.concat([serverNonce, rest]));
  const older = Buffer.concat([hmac(key, Buffer.concat([serverNonce, nonce])), nonce]);
  return { nt: Buffer.concat([proof, rest]), lm: serverTime === undefined ? older : Buffer.alloc(24) };
}

function timeIn(targetInfo: Buffer): bigint | undefined {
  for (let offset = 0; offset + 4 <= targetInfo.length;) {
    const id = targetInfo.readUInt16LE(offset);
    const length = targetInfo.readUInt16LE(offset + 2);
    if (id === 0) return undefined;
    if (id === timestampId && length === 8 && offset + 12 <= targetInfo.length) {
      return targetInfo.readBigUInt64LE(offset + 4);
    }
    offset += 4 + length;
  }
  return undefined;
}

/** Milliseconds since 1970 as the far end counts time. */
function fileTime(milliseconds: number): bigint {
  return (BigInt(milliseconds) + 11_644_473_600_000n) * 10_000n;
}

function hmac(key: Buffer, data: Buffer): Buffer {
  return createHmac('md5', key).update(data).digest();
}

function utf16(text: string): Buffer {
  return Buffer.from(text, 'utf16le');
}

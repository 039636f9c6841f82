import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<Buffer, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/** Costs of new hashes (RFC 7914); hashes with others are still checked. */
const cost = { N: 16_384, r: 8, p: 1 } as const;
const maxmem = 64 * 1024 * 1024;
const scheme = 'scrypt';

/** Hashes a password for keeping: `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(Buffer.from(password), salt, 32, { ...cost, maxmem });
  return [scheme, cost.N, cost.r, cost.p, salt.toString('base64'), hash.toString('base64')].join('$');
}

/** Whether the password is the one that was hashed. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [name, n, r, p, salt = '', hash = ''] = stored.split('$');
  if (name !== scheme) return false;
  const wanted = Buffer.from(hash, 'base64');
  const options = { N: Number(n), r: Number(r), p: Number(p), maxmem };
  const found = await derive(Buffer.from(password), Buffer.from(salt, 'base64'), wanted.length, options);
  return timingSafeEqual(found, wanted);
}

let decoy: Promise<string> | undefined;

/** Spends the time of a check for a name that does not exist, so that answers tell nothing by their time. */
export async function verifyNothing(password: string): Promise<false> {
  decoy ??= hashPassword(randomBytes(16).toString('base64'));
  await verifyPassword(password, await decoy);
  return false;
}

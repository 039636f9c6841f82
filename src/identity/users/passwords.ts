import { createHash, pbkdf2, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { MillraceError } from '#errors';
import { flagOf, textOf, type StoreProperties } from './store-properties.ts';

const derive = promisify<Buffer, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);
const deriveByHash = promisify(pbkdf2);

/** Costs of new hashes (RFC 7914); hashes with others are still checked. */
const cost = { N: 16_384, r: 8, p: 1 } as const;
const maxmem = 64 * 1024 * 1024;

/** How the passwords of a database store are kept. Every stored form begins with the name of its scheme. */
export interface PasswordHashing {
  hash(password: string): Promise<string>;
  verify(password: string, stored: string): Promise<boolean>;
  /** True for a form that new passwords no longer get; it is replaced when its user signs in. */
  isOutdated(stored: string): boolean;
}

/** Digests of `PasswordDigest` by the names of Java. */
const digests: Readonly<Record<string, string>> = {
  SHA: 'sha1',
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
  MD5: 'md5',
};

/**
 * Reads how a store keeps passwords (identity 5.2): with scrypt, or exactly as the original does where the file names
 * a digest. Whatever the choice is, passwords of every form are checked.
 *
 * @throws MillraceError `MR_STORE_PROPERTY` for a digest that nobody knows
 */
export function readPasswordHashing(properties: StoreProperties): PasswordHashing {
  const named = textOf(properties, 'PasswordDigest');
  if (named === undefined) return { hash: hashPassword, verify: verifyPassword, isOutdated: isOutdatedFor('scrypt$') };
  if (named === 'PLAIN_TEXT') {
    return {
      hash: async (password) => `plain$${password}`,
      verify: verifyPassword,
      isOutdated: isOutdatedFor('plain$'),
    };
  }
  if (named === 'PBKDF2') {
    return { hash: hashByPbkdf2, verify: verifyPassword, isOutdated: isOutdatedFor('pbkdf2$') };
  }
  if (digests[named] === undefined) {
    const expected = ['PLAIN_TEXT', 'PBKDF2', ...Object.keys(digests)].join(', ');
    const message = `PasswordDigest: expected ${expected}, found "${named}"`;
    throw new MillraceError({ code: 'MR_STORE_PROPERTY', status: 400, message });
  }
  const isSalted = flagOf(properties, 'StoreSaltedPassword', true);
  return {
    async hash(password) {
      const salt = isSalted ? randomBytes(16).toString('base64') : '';
      return ['digest', named, salt, digestOf(named, password + salt).toString('base64')].join('$');
    },
    verify: verifyPassword,
    isOutdated: isOutdatedFor(`digest$${named}$`),
  };
}

function isOutdatedFor(prefix: string): (stored: string) => boolean {
  return (stored) => !stored.startsWith(prefix);
}

/** Hashes a password for keeping: `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(Buffer.from(password), salt, 32, { ...cost, maxmem });
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), hash.toString('base64')].join('$');
}

async function hashByPbkdf2(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await deriveByHash(password, salt, 210_000, 32, 'sha256');
  return ['pbkdf2', 'sha256', 210_000, salt.toString('base64'), hash.toString('base64')].join('$');
}

type Verify = (password: string, parts: readonly string[]) => Promise<boolean> | boolean;

/** How each stored form is checked; `parts` is what follows the scheme. */
const schemes: Readonly<Record<string, Verify>> = {
  async scrypt(password, [n, r, p, salt = '', hash = '']) {
    const wanted = Buffer.from(hash, 'base64');
    const options = { N: Number(n), r: Number(r), p: Number(p), maxmem };
    return isSame(await derive(Buffer.from(password), Buffer.from(salt, 'base64'), wanted.length, options), wanted);
  },
  async pbkdf2(password, [digest = 'sha256', iterations, salt = '', hash = '']) {
    const wanted = Buffer.from(hash, 'base64');
    const salted = Buffer.from(salt, 'base64');
    return isSame(await deriveByHash(password, salted, Number(iterations), wanted.length, digest), wanted);
  },
  // The original's own form: the salt stands behind the password as text.
  digest: (password, [name = '', salt = '', hash = '']) =>
    digests[name] !== undefined && isSame(digestOf(name, password + salt), Buffer.from(hash, 'base64')),
  plain: (password, parts) => isSame(digestOf('SHA-256', password), digestOf('SHA-256', parts.join('$'))),
};

/** Whether the password is the one that was kept, in whatever form. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [scheme = '', ...parts] = stored.split('$');
  return Object.hasOwn(schemes, scheme) && (await schemes[scheme]?.(password, parts)) === true;
}

function digestOf(name: string, text: string): Buffer {
  return createHash(digests[name] ?? 'sha256')
    .update(text)
    .digest();
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

let decoy: Promise<string> | undefined;

/** Spends the time of a check for a name that does not exist, so that answers tell nothing by their time. */
export async function verifyNothing(password: string): Promise<false> {
  decoy ??= hashPassword(randomBytes(16).toString('base64'));
  await verifyPassword(password, await decoy);
  return false;
}

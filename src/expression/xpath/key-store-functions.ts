import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '#errors';
import {
  decryptSecret,
  encryptSecret,
  findEntry,
  readKeyStoreFile,
  type KeyStoreEntry,
  type KeyStoreFile,
} from '#keystore';
import { EvaluationError } from '../error.ts';
import { textOf } from '../text.ts';
import { textOfCode, type Code, type Frame } from './code.ts';
import type { XPathFunction } from './core-functions.ts';

type Cipher = (text: string, entry: KeyStoreEntry, transformation: string) => string;

/** `encrypt` and `decrypt` with a key of a key store (runtime-core 8.2): text, store, password, alias, type, algorithm. */
export const keyStoreFunctions: readonly (readonly [string, XPathFunction])[] = [
  ['encrypt', withKey('encrypt', (text, { certificatePems: [own = ''] }, cipher) => encryptSecret(text, own, cipher))],
  ['decrypt', withKey('decrypt', (text, entry, cipher) => decryptSecret(text, privateKeyOf(entry), cipher))],
];

function privateKeyOf({ alias, privateKeyPem }: KeyStoreEntry): string {
  if (privateKeyPem === undefined) throw new EvaluationError(`the entry "${alias}" has no private key`);
  return privateKeyPem;
}

/** Types that are read; the content says which one it is. */
const storeTypes: ReadonlySet<string> = new Set(['JKS', 'PKCS12']);

function withKey(name: string, apply: Cipher): XPathFunction {
  const make = (args: readonly Code[]): ((frame: Frame) => string) => {
    const [text, file, password, alias, type, algorithm] = args.map((argument) => textOfCode(argument));
    return (frame) => {
      const storeType = type?.(frame) ?? 'JKS';
      if (!storeTypes.has(storeType.toUpperCase())) {
        throw new EvaluationError(`expected JKS or PKCS12 as key store type of ${name} but found "${storeType}"`);
      }
      const home = textOf(frame.evaluation.scope.property('system', 'carbon.home') ?? '.');
      const store = { file: resolve(home, file?.(frame) ?? ''), password: password?.(frame) ?? '' };
      try {
        const entry = findEntry(entriesOf(store), alias?.(frame) ?? '');
        return apply(text?.(frame) ?? '', entry, algorithm?.(frame) ?? 'RSA');
      } catch (error) {
        throw new EvaluationError(`${name} failed: ${messageOf(error)}`, error);
      }
    };
  };
  return { arity: [4, 6], type: 'string', make };
}

interface KnownStore {
  readonly password: string;
  readonly changed: number;
  readonly entries: readonly KeyStoreEntry[];
}

/** Stores that stay open: opening one takes longer than what is done with its keys. */
const maxKnown = 16;
const known = new Map<string, KnownStore>();

/** The entries of a store, read again when the file has changed. */
function entriesOf(store: KeyStoreFile): readonly KeyStoreEntry[] {
  const changed = statSync(store.file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const before = known.get(store.file);
  if (before?.password === store.password && before.changed === changed) return before.entries;
  const entries = readKeyStoreFile(store);
  known.delete(store.file);
  const [oldest] = known.keys();
  if (known.size >= maxKnown && oldest !== undefined) known.delete(oldest);
  known.set(store.file, { password: store.password, changed, entries });
  return entries;
}

import { MillraceError } from '#errors';
import type { Raw } from './catalog/types.ts';
import type { Document, Entry } from './document.ts';
import { lockedSecret, PlaceholderError } from './placeholders.ts';

/** The `[secrets]` table: aliases and their encrypted values. */
export class SecretTable {
  readonly #document: Document;
  readonly #resolve: (entry: Entry) => Raw | undefined;
  readonly #decrypt: ((cipherText: string) => string) | undefined;
  readonly #plain = new Map<string, string>();

  constructor(
    document: Document,
    resolve: (entry: Entry) => Raw | undefined,
    decrypt: ((cipherText: string) => string) | undefined,
  ) {
    this.#document = document;
    this.#resolve = resolve;
    this.#decrypt = decrypt;
  }

  /** The plain text behind `alias`; throws a `PlaceholderError` that says why there is none. */
  plain(alias: string): string {
    const known = this.#plain.get(alias);
    if (known !== undefined) return known;
    const text = this.#read(alias);
    this.#plain.set(alias, text);
    return text;
  }

  #read(alias: string): string {
    const placeholder = `$secret{${alias}}`;
    const entry = this.#document.entries.get(`secrets.${alias}`);
    if (!entry) {
      if (this.#mayComeLater()) return lockedSecret;
      throw new PlaceholderError('MR_CONFIG_SECRET_MISSING', {
        placeholder,
        message: `the table [secrets] has no alias ${alias}`,
        hint: `add ${alias} = "[value]" to [secrets] and run: millrace secret encrypt`,
      });
    }
    const cipherText = this.#resolve(entry);
    if (isPlain(cipherText)) {
      throw new PlaceholderError('MR_CONFIG_SECRET_PLAIN', {
        placeholder,
        message: `the secret ${alias} on line ${entry.position.line} is not encrypted yet`,
        hint: 'run: millrace secret encrypt',
      });
    }
    if (!this.#decrypt) return lockedSecret;
    return this.#decrypted(String(cipherText), { alias, placeholder, line: entry.position.line });
  }

  #decrypted(cipherText: string, place: { alias: string; placeholder: string; line: number }): string {
    try {
      return this.#decrypt?.(cipherText) ?? lockedSecret;
    } catch (error) {
      const reason = error instanceof MillraceError ? error.message : 'the key does not fit';
      throw new PlaceholderError('MR_CONFIG_SECRET_UNREADABLE', {
        placeholder: place.placeholder,
        message: `the secret ${place.alias} on line ${place.line} cannot be decrypted: ${reason}`,
        hint: 'it was encrypted with another key or transformation; set it again with: millrace secret set',
      });
    }
  }

  #mayComeLater(): boolean {
    const entry = this.#document.entries.get('runtime_secrets.enable');
    return entry !== undefined && /^true$/i.test(String(entry.raw));
  }
}

/** True for a value in square brackets: plain text that waits for `millrace secret encrypt`. */
export function isPlain(raw: Raw | undefined): boolean {
  return typeof raw === 'string' && /^\[[^]*\]$/.test(raw);
}

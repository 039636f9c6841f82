import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { getLogger, type Clock } from '#core';
import { messageOf } from '#errors';
import { XmlError } from '#xml';
import type { IdentityProvider } from './provider.ts';
import { readProvider } from './read-provider.ts';

const log = getLogger('identity');

/** How soon a folder is looked at again, in milliseconds. */
const pause = 1000;

interface ReadFile {
  /** Time and size, by which a change is noticed. */
  readonly stamp: string;
  readonly provider: IdentityProvider | undefined;
}

/** The providers of one folder. A changed file counts at the next look; one that cannot be read leaves what was there. */
export class ProviderFolder {
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #files = new Map<string, ReadFile>();
  #looked = Number.NEGATIVE_INFINITY;

  constructor(directory: string, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  list(): readonly IdentityProvider[] {
    if (this.#clock.now() - this.#looked >= pause) {
      this.#looked = this.#clock.now();
      this.#look();
    }
    return [...this.#files.values()].flatMap(({ provider }) => (provider ? [provider] : []));
  }

  #look(): void {
    const names = namesIn(this.#directory);
    for (const name of this.#files.keys()) if (!names.includes(name)) this.#files.delete(name);
    for (const name of names) {
      const file = join(this.#directory, name);
      const { mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 };
      const stamp = `${mtimeMs} ${size}`;
      const known = this.#files.get(name);
      if (known?.stamp === stamp) continue;
      this.#files.set(name, { stamp, provider: read(file) ?? known?.provider });
    }
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.toLowerCase().endsWith('.xml'))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function read(file: string): IdentityProvider | undefined {
  try {
    const provider = readProvider(readFileSync(file, 'utf8'), file);
    log.info({ file, provider: provider.name }, 'an identity provider was read');
    return provider;
  } catch (error) {
    const place = error instanceof XmlError ? { line: error.position.line, column: error.position.column } : {};
    log.error({ file, ...place, error: messageOf(error) }, 'an identity provider cannot be read');
    return undefined;
  }
}

import { getLogger, type Clock } from '#core';
import type { VaultAddress } from '#expression';
import type { MediationSettings } from '#mediation';
import type { MessageEnvironment } from '#message';
import { serializeXml, XmlElement } from '#xml';
import type { LocalEntryValue } from './kinds/index.ts';
import type { Registry } from './registry.ts';

/** Values from outside of the artifacts that messages may read. */
export interface ExternalValues {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Properties of the process, which artifacts may set. */
  readonly system: Map<string, string>;
  /** Lines of `file.properties`. */
  readonly file: ReadonlyMap<string, string>;
  /** What the server tells of itself as if it were local entries; those of the artifacts come first. */
  readonly identity?: ReadonlyMap<string, string>;
  /** A secret by alias; undefined when there is none. */
  secret(alias: string): string | undefined;
  /** A field of a secret in the external vault; absent where none is configured. */
  readonly vaultSecret?: ((address: VaultAddress) => string) | undefined;
}

/** What a world's messages see of it and of the machine. */
export function createEnvironment(parts: {
  registry: Registry;
  localEntries: ReadonlyMap<string, LocalEntryValue>;
  external: ExternalValues;
  clock: Clock;
  settings: MediationSettings;
}): MessageEnvironment {
  const { registry, localEntries, external, clock, settings } = parts;
  const log = getLogger('mediation');
  const localEntry = (key: string): LocalEntryValue | undefined => localEntries.get(key) ?? external.identity?.get(key);
  const resource = (key: string): string | undefined => {
    const entry = localEntry(key);
    if (entry !== undefined) return entry instanceof XmlElement ? serializeXml(entry) : entry;
    return registry.read(key);
  };
  return {
    external(scope, name) {
      if (scope === 'env') return external.environment[name];
      return scope === 'file' ? external.file.get(name) : external.system.get(name);
    },
    // A configurable value comes from the environment, then the process, then file.properties (runtime-core 1.8).
    configuration: (name) => external.environment[name] ?? external.system.get(name) ?? external.file.get(name),
    resource,
    resourceProperty: (key, property) => registry.property(key, property),
    localEntry,
    store(scope, name, value) {
      if (scope === 'system') {
        external.system.set(name, value);
        return;
      }
      const at = name.lastIndexOf('@');
      registry.write(at < 0 ? name : name.slice(0, at), at < 0 ? undefined : name.slice(at + 1), value);
    },
    secret: (alias) => external.secret(alias),
    vaultSecret: external.vaultSecret,
    now: () => clock.now(),
    timeZone: settings.timeZone,
    jsonMapping: settings.jsonMapping,
    formats: settings.formats,
    warn: (message, detail) => log.warn({ detail }, message),
  };
}

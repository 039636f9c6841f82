import {
  blockingCustomMessageBuilders,
  blockingCustomMessageFormatters,
  blockingMessageBuilders,
  blockingMessageFormatters,
  customMessageBuilders,
  customMessageFormatters,
  messageBuilders,
  messageFormatters,
  millrace,
  server,
  transportDefaults,
  type Config,
  type Key,
  type SectionKeys,
} from '#config';
import { ProblemsError, type Problem } from '#errors';
import type { Builder } from '../builders/index.ts';
import type { Formatter } from '../formatters/index.ts';
import { builderClasses, formatterClasses } from './class-map.ts';
import { defaultFormatRows } from './default-formats.ts';
import { resolveClass, type ClassResolution, type NamedClass } from './extension.ts';
import {
  builtInBuilder,
  builtInFormatter,
  createMessageFormats,
  type FormatOptions,
  type MessageFormats,
} from './message-formats.ts';

/** The class that the configuration names for a media type. */
interface ConfiguredType extends NamedClass {
  readonly mediaType: string;
}

/** The two places where formats of one kind are configured. */
interface Sections {
  readonly fixed: SectionKeys;
  readonly custom: SectionKeys & {
    readonly contentType: Key<string | undefined>;
    readonly class: Key<string | undefined>;
  };
}

/**
 * Reads `[message_builders]`, `[message_formatters]`, their `custom_` and `blocking.` variants, and which attachments
 * go outside of envelopes; modules of the extensions are loaded.
 *
 * @param extensions directory of the extensions
 * @throws ProblemsError for every class that is not known and every module that cannot be used
 */
export async function readMessageFormats(config: Config, extensions: string): Promise<MessageFormats> {
  const problems: Problem[] = [];
  const classMap = config.bag(millrace.classMap);
  const common = { classMap, directory: extensions };
  const builderResolution: ClassResolution<Builder> = {
    ...common,
    builtIn: mapValues(builderClasses, builtInBuilder),
    kind: 'builder',
    method: 'build',
  };
  const formatterResolution: ClassResolution<Formatter> = {
    ...common,
    builtIn: mapValues(formatterClasses, builtInFormatter),
    kind: 'formatter',
    method: 'format',
  };
  const read = async (builderSections: Sections, formatterSections: Sections): Promise<FormatOptions> => ({
    builders: await resolveAll(configuredTypes(config, builderSections), builderResolution, problems),
    formatters: await resolveAll(configuredTypes(config, formatterSections), formatterResolution, problems),
    defaultRequestType: config.get(transportDefaults.defaultContentType),
    attachments: { mtom: config.get(server.enableMtom), swa: config.get(server.enableSwA) },
  });
  const usual = await read(
    { fixed: messageBuilders, custom: customMessageBuilders },
    { fixed: messageFormatters, custom: customMessageFormatters },
  );
  const blocking = await read(
    { fixed: blockingMessageBuilders, custom: blockingCustomMessageBuilders },
    { fixed: blockingMessageFormatters, custom: blockingCustomMessageFormatters },
  );
  if (problems.length > 0) throw new ProblemsError(problems);
  return createMessageFormats({ ...usual, blocking: createMessageFormats(blocking) });
}

/** What the file says, fixed keys first: a custom entry wins over the fixed key of the same type. */
function configuredTypes(config: Config, { fixed, custom }: Sections): ConfiguredType[] {
  const types: ConfiguredType[] = [];
  for (const { key: name, mediaType } of defaultFormatRows) {
    const key = (name === undefined ? undefined : Reflect.get(fixed, name)) as Key<string | undefined> | undefined;
    const className = key && config.has(key) ? config.get(key) : undefined;
    if (key && className !== undefined) {
      types.push({ mediaType, key: key.path, className, position: config.position(key) });
    }
  }
  for (const reader of config.list(custom)) {
    const contentType = reader.get(custom.contentType);
    const className = reader.get(custom.class);
    // A table without one of the two is an error of the file, which stops the start before.
    if (contentType === undefined || className === undefined) continue;
    const position = reader.position(custom.class);
    types.push({ mediaType: mediaTypeKey(contentType), key: custom.class.path, className, position });
  }
  return types;
}

/** Media types are compared in lower case; a regular expression stays as it is, since its letters have a meaning. */
function mediaTypeKey(text: string): string {
  const type = text.trim();
  return /^[\w.+-]+\/[\w.+-]+(?:\/[\w.+-]+)?$/.test(type) ? type.toLowerCase() : type;
}

async function resolveAll<T extends object>(
  types: readonly ConfiguredType[],
  resolution: ClassResolution<T>,
  problems: Problem[],
): Promise<ReadonlyMap<string, T>> {
  const found = new Map<string, T>();
  for (const type of types) {
    const result = await resolveClass(type, resolution);
    if ('problem' in result) problems.push(result.problem);
    else found.set(type.mediaType, result.found);
  }
  return found;
}

function mapValues<Kind, T>(record: Readonly<Record<string, Kind>>, make: (kind: Kind) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, kind]) => [name, make(kind)]));
}

import { compileJavaRegex, RegexSyntaxError, RegexUnsupportedError, type JavaRegex } from '#core/java';
import type { AttachmentSettings } from '../attachments.ts';
import { builders, type Builder, type BuilderKind } from '../builders/index.ts';
import { mediaTypeOf } from '../content-type.ts';
import { formatters, type Formatter, type FormatterKind } from '../formatters/index.ts';
import { defaultFormatRows } from './default-formats.ts';

/** How bodies are read and written, by media type. */
export interface MessageFormats {
  /**
   * The builder of a Content-Type (runtime-core 6.2): `text/xml` without a SOAPAction counts as `application/xml`, and
   * a type that nobody registered is tried as plain XML.
   */
  builderFor(contentType: string, hasSoapAction: boolean): Builder;
  /** The formatter of a Content-Type; undefined when none is registered (runtime-core 6.3). */
  formatterFor(contentType: string): Formatter | undefined;
  /** The Content-Type of a request that has a body and says none. */
  readonly defaultRequestType: string;
  readonly attachments: AttachmentSettings;
  /** How the bodies of blocking calls are read and written. */
  readonly blocking: MessageFormats;
}

/** What differs from the built-in formats. */
export interface FormatOptions {
  /** By media type or by regular expression of Java, in the order in which they are tried. */
  readonly builders?: ReadonlyMap<string, Builder>;
  readonly formatters?: ReadonlyMap<string, Formatter>;
  readonly defaultRequestType?: string | undefined;
  readonly attachments?: AttachmentSettings;
  /** The same as for other calls when absent. */
  readonly blocking?: MessageFormats;
}

const buildersByKind = new Map<BuilderKind, Builder>(builders.map((builder) => [builder.name, builder]));
const formattersByKind = new Map<FormatterKind, Formatter>(formatters.map((formatter) => [formatter.name, formatter]));

/** The built-in builder of a kind. */
export function builtInBuilder(kind: BuilderKind): Builder {
  return buildersByKind.get(kind) as Builder;
}

/** The built-in formatter of a kind. */
export function builtInFormatter(kind: FormatterKind): Formatter {
  return formattersByKind.get(kind) as Formatter;
}

/** Makes the formats: the built-in ones, with what the options say about the types that they name. */
export function createMessageFormats(options: FormatOptions = {}): MessageFormats {
  const builderMap = new Map(defaultFormatRows.map(({ mediaType, builder }) => [mediaType, builtInBuilder(builder)]));
  const formatterMap = new Map(
    defaultFormatRows.map(({ mediaType, formatter }) => [mediaType, builtInFormatter(formatter)]),
  );
  for (const [type, builder] of options.builders ?? []) builderMap.set(type, builder);
  for (const [type, formatter] of options.formatters ?? []) formatterMap.set(type, formatter);
  const findBuilder = createLookup(builderMap);
  const findFormatter = createLookup(formatterMap);
  const plainXml = builtInBuilder('xml');
  const formats = {
    builderFor(contentType: string, hasSoapAction: boolean) {
      const type = mediaTypeOf(contentType);
      const isPlain = !hasSoapAction && type.toLowerCase() === 'text/xml';
      return findBuilder(isPlain ? 'application/xml' : type) ?? plainXml;
    },
    formatterFor: (contentType: string) => findFormatter(mediaTypeOf(contentType)),
    defaultRequestType: options.defaultRequestType ?? 'application/octet-stream',
    attachments: options.attachments ?? { mtom: false, swa: false },
  };
  const made: MessageFormats = {
    ...formats,
    get blocking() {
      return options.blocking ?? made;
    },
  };
  return made;
}

/** The formats when nothing is configured. */
export const defaultFormats: MessageFormats = createMessageFormats();

/** Types come from clients, so only so many results are remembered. */
const maxRemembered = 500;

/** Looks a type up: as it is, in lower case, then by each key as a regular expression for the whole type. */
function createLookup<T>(entries: ReadonlyMap<string, T>): (mediaType: string) => T | undefined {
  const patterns = [...entries].map(([key, value]) => ({ pattern: patternOf(key), value }));
  const remembered = new Map<string, T | undefined>();
  const search = (type: string): T | undefined =>
    entries.get(type.toLowerCase()) ?? patterns.find(({ pattern }) => pattern?.matches(type))?.value;
  return (type) => {
    const exact = entries.get(type);
    if (exact !== undefined) return exact;
    if (remembered.has(type)) return remembered.get(type);
    const found = search(type);
    if (remembered.size < maxRemembered) remembered.set(type, found);
    return found;
  };
}

/** A key that is no regular expression stands for itself only. */
function patternOf(key: string): JavaRegex | undefined {
  try {
    return compileJavaRegex(key);
  } catch (error) {
    if (error instanceof RegexSyntaxError || error instanceof RegexUnsupportedError) return undefined;
    throw error;
  }
}

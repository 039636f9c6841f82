import { messageOf } from '#errors';
import { parseXml } from '../parse.ts';
import { replaceAttributes, type AttributeChange } from '../replace-attributes.ts';
import { escapeAttribute } from '../serialize.ts';
import { childElements, getAttribute, type XmlDocument, type XmlElement } from '../tree.ts';
import { SchemaError } from './error.ts';

/** The text of a schema and the key under which it is known. */
export interface SchemaSource {
  readonly key: string;
  readonly text: string;
}

/** Finds the schema that an import or include names; `importer` is the key of the schema that has it. */
export type ResolveSchema = (location: string, importer: string) => SchemaSource | undefined;

/** Several schemas as one grammar: a root that brings all of them in, and the texts by module name. */
export interface SchemaModules {
  readonly root: string;
  readonly texts: ReadonlyMap<string, string>;
  /** Keys by module name, for messages. */
  readonly keys: ReadonlyMap<string, string>;
}

const xsdNamespace = 'http://www.w3.org/2001/XMLSchema';
/** Where modules seem to be; nothing else can be read. */
export const moduleBase = 'schema:/';
/** Most modules of one grammar: enough for any real one, and an end to circles. */
const maxModules = 200;

/**
 * Reads schemas and what they import. Locations that nothing answers to stay out of reach.
 *
 * @throws SchemaError naming the key: malformed XML, something else than a schema, too many modules
 */
export function readSchemas(sources: readonly SchemaSource[], resolve: ResolveSchema): SchemaModules {
  const names = new Map<string, string>();
  const texts = new Map<string, string>();
  const keys = new Map<string, string>();
  const namespaces = new Map<string, string[]>();

  const nameOf = ({ key, text }: SchemaSource): string => {
    const known = names.get(key);
    if (known !== undefined) return known;
    const name = `module${names.size + 1}.xsd`;
    if (names.size >= maxModules) throw new SchemaError(`${key}: a grammar of more than ${maxModules} schemas`);
    names.set(key, name);
    keys.set(name, key);
    texts.set(name, read(parseModule(key, text), key));
    return name;
  };

  const read = (document: XmlDocument, key: string): string => {
    const changes: AttributeChange[] = [];
    for (const element of childElements(document.root)) {
      const location = locationOf(element);
      if (location === undefined) continue;
      const found = resolve(location, key);
      const value = found ? `${moduleBase}${nameOf(found)}` : `${moduleBase}missing/${escapeAttribute(location)}`;
      changes.push({ element, attribute: 'schemaLocation', value });
    }
    return replaceAttributes(document, changes);
  };

  for (const source of sources) {
    const { root } = parseModule(source.key, source.text);
    const namespace = getAttribute(root, 'targetNamespace') ?? '';
    namespaces.set(namespace, [...(namespaces.get(namespace) ?? []), nameOf(source)]);
  }
  const [only] = names.values();
  if (sources.length === 1 && only !== undefined) return { root: only, texts, keys };
  const groups = [...namespaces].map(([namespace, members], index) => {
    const group = `group${index + 1}.xsd`;
    texts.set(
      group,
      schemaOf(
        namespace,
        members.map((member) => `<xs:include schemaLocation="${moduleBase}${member}"/>`),
      ),
    );
    return `<xs:import${attribute('namespace', namespace)} schemaLocation="${moduleBase}${group}"/>`;
  });
  // A schema without a namespace cannot import what has none; then it includes it.
  const isMixed = namespaces.has('');
  texts.set('root.xsd', schemaOf(isMixed ? 'urn:millrace:root' : '', groups));
  return { root: 'root.xsd', texts, keys };
}

function schemaOf(namespace: string, content: readonly string[]): string {
  return `<xs:schema xmlns:xs="${xsdNamespace}"${attribute('targetNamespace', namespace)}>${content.join('')}</xs:schema>`;
}

function attribute(name: string, value: string): string {
  return value === '' ? '' : ` ${name}="${escapeAttribute(value)}"`;
}

function locationOf(element: XmlElement): string | undefined {
  if (element.uri !== xsdNamespace || !['import', 'include', 'redefine'].includes(element.local)) return undefined;
  return getAttribute(element, 'schemaLocation');
}

function parseModule(key: string, text: string): XmlDocument {
  let document: XmlDocument;
  try {
    document = parseXml(text, { file: key, positions: true });
  } catch (error) {
    throw new SchemaError(`${key}: the schema is not well-formed: ${messageOf(error)}`, error);
  }
  if (document.root.local === 'schema' && document.root.uri === xsdNamespace) return document;
  throw new SchemaError(`${key}: this is no XML Schema, its root is <${document.root.name}>`);
}

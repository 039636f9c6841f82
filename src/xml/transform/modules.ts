import { messageOf } from '#errors';
import { parseXml } from '../parse.ts';
import { replaceAttributes, type AttributeChange } from '../replace-attributes.ts';
import { childElements, getAttribute, type XmlDocument, type XmlElement } from '../tree.ts';
import { TransformError } from './error.ts';

/** The text of a stylesheet and the key under which it is known. */
export interface StylesheetSource {
  readonly key: string;
  readonly text: string;
}

/** Finds what an import or include names; `importer` is the key of the stylesheet that has it. */
export type ResolveImport = (location: string, importer: string) => StylesheetSource | undefined;

/** A stylesheet with everything that it imports, the locations replaced by names that are keys of `imported`. */
export interface StylesheetModules {
  readonly main: string;
  readonly imported: Readonly<Record<string, string>>;
  /** Keys by module name, for messages. */
  readonly keys: ReadonlyMap<string, string>;
  /** True when the result is plain text. */
  readonly producesText: boolean;
}

const xslNamespace = 'http://www.w3.org/1999/XSL/Transform';
const mainModule = 'main.xsl';
/** Most modules of one stylesheet: enough for any real one, and an end to circles. */
const maxModules = 100;

/** Extension functions that run code: no stylesheet may name them. */
const refusedNamespaces = /http:\/\/saxonica\.com\/ns\/(?:interactiveXSLT|globalJS)/;

/** Functions that turn a result tree fragment into a node set; in XSLT 2.0 and later every tree is one. */
const nodeSetNamespaces: ReadonlySet<string> = new Set([
  'http://xml.apache.org/xalan',
  'http://xml.apache.org/xslt',
  'urn:schemas-microsoft-com:xslt',
  'http://exslt.org/common',
]);

/**
 * Reads a stylesheet and what it imports.
 *
 * @throws TransformError naming key and line: malformed XML, an import that nothing answers to, refused extensions
 */
export function readModules(source: StylesheetSource, resolve: ResolveImport): StylesheetModules {
  const names = new Map<string, string>();
  const imported: Record<string, string> = {};
  const keys = new Map<string, string>();
  let method: string | undefined;

  const read = ({ key, text }: StylesheetSource, name: string): string => {
    keys.set(name, key);
    const document = parseModule(key, text);
    if (refusedNamespaces.test(text)) throw new TransformError(`${key}: functions that run code are not allowed`);
    const changes: AttributeChange[] = [];
    for (const element of childElements(document.root)) {
      if (element.uri !== xslNamespace) continue;
      if (element.local === 'output') method = getAttribute(element, 'method') ?? method;
      if (element.local !== 'import' && element.local !== 'include') continue;
      const location = getAttribute(element, 'href') ?? '';
      changes.push({ element, attribute: 'href', value: nameOf(location, key, lineOf(document, element)) });
    }
    return withoutNodeSet(replaceAttributes(document, changes), document.root);
  };

  const nameOf = (location: string, importer: string, line: number): string => {
    const found = resolve(location, importer);
    if (!found) throw new TransformError(`${importer}:${line}: there is no stylesheet "${location}" to import`);
    const known = names.get(found.key);
    if (known !== undefined) return known;
    const name = `module${names.size + 1}.xsl`;
    if (names.size >= maxModules)
      throw new TransformError(`${importer}: a stylesheet of more than ${maxModules} modules`);
    names.set(found.key, name);
    imported[name] = read(found, name);
    return name;
  };

  names.set(source.key, mainModule);
  const main = read(source, mainModule);
  return { main, imported, keys, producesText: method === 'text' };
}

function parseModule(key: string, text: string): XmlDocument {
  try {
    return parseXml(text, { file: key, positions: true });
  } catch (error) {
    throw new TransformError(`${key}: the stylesheet is not well-formed: ${messageOf(error)}`, undefined, error);
  }
}

/** Leaves out calls of `node-set` and `nodeset`, whose argument is what they would give. */
function withoutNodeSet(text: string, root: XmlElement): string {
  const prefixes = root.declarations.filter(({ prefix, uri }) => prefix !== '' && nodeSetNamespaces.has(uri));
  if (prefixes.length === 0) return text;
  const names = prefixes.map(({ prefix }) => prefix.replaceAll('.', '\\.')).join('|');
  return text.replaceAll(new RegExp(`(?<![\\w.-])(?:${names}):(?:node-set|nodeset|nodeSet)\\s*\\(`, 'g'), '(');
}

function lineOf({ source }: XmlDocument, element: XmlElement): number {
  return source.slice(0, Math.max(0, element.offset)).split('\n').length;
}

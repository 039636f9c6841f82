import { endOfDoctype } from './doctype.ts';
import { endOfName, forbidden, resolveReference, unusualText, unusualValue } from './characters.ts';
import { XmlComment, XmlElement, XmlInstruction, XmlText, type NamespaceDeclaration, type XmlNode } from './tree.ts';

export interface ReaderOptions {
  /** Keeps each element's offset into the source. */
  readonly positions: boolean;
  readonly maxDepth: number;
  readonly maxAttributes: number;
  readonly maxNameLength: number;
  /** Passes over a document type declaration without entities instead of refusing it. */
  readonly allowDtd: boolean;
  /** Makes the error for a message and the offset at which it arose. */
  readonly failure: (message: string, offset: number) => Error;
}

type Prefixes = ReadonlyMap<string, string>;

const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';
const xmlnsNamespace = 'http://www.w3.org/2000/xmlns/';
const outermost: Prefixes = new Map([
  ['', ''],
  ['xml', xmlNamespace],
  ['xmlns', xmlnsNamespace],
]);

interface RawAttribute {
  readonly name: string;
  readonly value: string;
  readonly at: number;
}

const noAttributes: RawAttribute[] = [];

/**
 * Reads an XML 1.0 document with namespaces into a tree, one piece of markup at a time, so that whoever needs only its
 * beginning does not pay for the rest. Strict: what is not well-formed is an error; document type declarations are
 * refused, and only the predefined entities exist.
 */
export class XmlReader {
  readonly #source: string;
  readonly #options: ReaderOptions;
  readonly #top: XmlNode[] = [];
  readonly #prefixes: Prefixes[] = [outermost];
  readonly #names: string[] = [];
  #at: number;
  #current: XmlElement | null = null;
  #root: XmlElement | null = null;

  constructor(source: string, options: ReaderOptions) {
    this.#source = source;
    this.#options = options;
    // A byte order mark that decoding left in place is not part of the document.
    this.#at = source.charCodeAt(0) === 0xfeff ? 1 : 0;
    this.#skipDeclaration();
  }

  /** The nodes beside the root element and the element itself; complete only at the end of the document. */
  get top(): readonly XmlNode[] {
    return this.#top;
  }

  /** The root element, read up to its start tag. */
  readRoot(): XmlElement {
    while (!this.#root && this.#at < this.#source.length) this.advance();
    return this.#root ?? this.#fail('the document has no root element', this.#at);
  }

  /** Reads everything that is left. */
  readAll(): void {
    while (this.#at < this.#source.length) this.advance();
    if (this.#current) this.#fail(`the element <${this.#current.name}> is not closed`, this.#at);
    if (!this.#root) this.#fail('the document has no root element', this.#at);
  }

  /** Reads the next piece: a run of text, a tag, a comment, an instruction or a CDATA section. */
  advance(): void {
    const source = this.#source;
    const start = this.#at;
    if (start >= source.length) {
      this.readAll();
      return;
    }
    if (source.charCodeAt(start) !== 0x3c) {
      this.#readText(start);
      return;
    }
    const next = source.charCodeAt(start + 1);
    if (next === 0x2f) this.#readEndTag(start);
    else if (next === 0x21) this.#readDeclaredMarkup(start);
    else if (next === 0x3f) this.#readInstruction(start);
    else this.#readStartTag(start);
  }

  #fail(message: string, offset: number): never {
    throw this.#options.failure(message, offset);
  }

  #skipDeclaration(): void {
    const declaration = /<\?xml(?=[ \t\r\n?])([^?]*)\?>/y;
    declaration.lastIndex = this.#at;
    const match = declaration.exec(this.#source);
    if (!match) return;
    const known =
      /^\s+version\s*=\s*(["'])1\.[0-9]+\1(?:\s+encoding\s*=\s*(["'])[A-Za-z][\w.-]*\2)?(?:\s+standalone\s*=\s*(["'])(?:yes|no)\3)?\s*$/;
    if (!known.test(match[1] ?? '')) this.#fail('the XML declaration is malformed', this.#at);
    this.#at = declaration.lastIndex;
  }

  #add(node: XmlNode): void {
    if (this.#current) this.#current.append(node);
    else if (node.kind !== 'text') this.#top.push(node);
  }

  #readText(start: number): void {
    const found = this.#source.indexOf('<', start);
    const end = found < 0 ? this.#source.length : found;
    const raw = this.#source.slice(start, end);
    this.#at = end;
    if (!this.#current) {
      const stray = raw.search(/[^ \t\r\n]/);
      if (stray >= 0) this.#fail('text stands outside of the root element', start + stray);
      return;
    }
    this.#add(new XmlText(unusualText.test(raw) ? this.#decodeText(raw, start) : raw));
  }

  #decodeText(raw: string, start: number): string {
    const end = raw.indexOf(']]>');
    if (end >= 0) this.#fail('"]]>" must not occur in text', start + end);
    this.#refuseForbidden(raw, start);
    return this.#expand(normalizeLineEnds(raw), start);
  }

  #refuseForbidden(raw: string, start: number): void {
    const bad = raw.search(forbidden);
    if (bad >= 0) this.#fail(`the character U+${hex(raw.charCodeAt(bad))} is not allowed`, start + bad);
  }

  #expand(raw: string, start: number): string {
    let text = '';
    let at = 0;
    for (let mark = raw.indexOf('&'); mark >= 0; mark = raw.indexOf('&', at)) {
      const end = raw.indexOf(';', mark);
      const name = end < 0 ? '&' : raw.slice(mark + 1, end);
      // A reference is short and has no second ampersand or blank in it.
      if (name.length > 64 || /[&<\s]/.test(name)) {
        this.#fail('an ampersand begins a reference that has no end', start + mark);
      }
      text += raw.slice(at, mark) + (resolveReference(name) ?? this.#unknown(name, start + mark));
      at = end + 1;
    }
    return at === 0 ? raw : text + raw.slice(at);
  }

  #unknown(name: string, offset: number): never {
    return this.#fail(`the entity &${name}; is not defined`, offset);
  }

  #readDeclaredMarkup(start: number): void {
    const source = this.#source;
    if (source.startsWith('<!--', start)) {
      const end = this.#endOf('--', start + 4, 'a comment is not closed');
      if (source.charCodeAt(end + 2) !== 0x3e) this.#fail('"--" must not occur in a comment', end);
      this.#add(new XmlComment(this.#plain(start + 4, end)));
      this.#at = end + 3;
    } else if (source.startsWith('<![CDATA[', start)) {
      if (!this.#current) this.#fail('a CDATA section stands outside of the root element', start);
      const end = this.#endOf(']]>', start + 9, 'a CDATA section is not closed');
      this.#add(new XmlText(this.#plain(start + 9, end), true));
      this.#at = end + 3;
    } else if (source.startsWith('<!DOCTYPE', start)) {
      if (!this.#options.allowDtd) this.#fail('a document type declaration is not allowed', start);
      this.#at = endOfDoctype(source, start, (message, at) => this.#fail(message, at));
    } else this.#fail('expected a tag, a comment or a CDATA section', start);
  }

  #endOf(mark: string, from: number, message: string): number {
    const end = this.#source.indexOf(mark, from);
    return end < 0 ? this.#fail(message, from) : end;
  }

  #plain(start: number, end: number): string {
    const raw = this.#source.slice(start, end);
    this.#refuseForbidden(raw, start);
    return normalizeLineEnds(raw);
  }

  #readInstruction(start: number): void {
    const nameEnd = endOfName(this.#source, start + 2);
    const target = this.#source.slice(start + 2, nameEnd);
    if (target === '') this.#fail('expected the target of an instruction', start + 2);
    if (target.includes(':')) this.#fail('the target of an instruction must not contain a colon', start + 2);
    if (target.toLowerCase() === 'xml') this.#fail('the XML declaration must stand at the start', start);
    const end = this.#endOf('?>', nameEnd, 'an instruction is not closed');
    if (end > nameEnd && !isSpace(this.#source.charCodeAt(nameEnd))) {
      this.#fail('expected white space after the target of an instruction', nameEnd);
    }
    this.#add(new XmlInstruction(target, this.#plain(nameEnd, end).trimStart()));
    this.#at = end + 2;
  }

  #readEndTag(start: number): void {
    const source = this.#source;
    const current = this.#current;
    if (!current) return this.#fail('an end tag stands outside of the root element', start);
    const { name } = current;
    let at = start + 2 + name.length;
    const isExpected = source.startsWith(name, start + 2);
    while (isSpace(source.charCodeAt(at))) at++;
    if (!isExpected || source.charCodeAt(at) !== 0x3e) {
      const found = source.slice(start + 2, endOfName(source, start + 2));
      this.#fail(`expected </${name}>, found </${found}>`, start);
    }
    this.#at = at + 1;
    this.#close(current);
    return undefined;
  }

  #close(element: XmlElement): void {
    element.pending = null;
    this.#prefixes.pop();
    this.#current = element.parent && element.parent.pending ? element.parent : null;
  }

  #readStartTag(start: number): void {
    const source = this.#source;
    const name = this.#tagName(start + 1);
    if (name === '') this.#fail('expected the name of an element after "<"', start + 1);
    this.#checkLimits(name, start);
    if (!this.#current && this.#root) this.#fail('the document has more than one root element', start);
    let attributes: RawAttribute[] = noAttributes;
    let at = start + 1 + name.length;
    for (;;) {
      const before = at;
      while (isSpace(source.charCodeAt(at))) at++;
      const code = source.charCodeAt(at);
      if (code === 0x3e) {
        this.#at = at + 1;
        this.#open(name, attributes, start);
        return;
      }
      if (code === 0x2f && source.charCodeAt(at + 1) === 0x3e) {
        this.#at = at + 2;
        this.#close(this.#open(name, attributes, start));
        return;
      }
      if (at === before) this.#fail('expected white space, ">" or "/>" in a start tag', at);
      if (attributes === noAttributes) attributes = [];
      at = this.#readAttribute(at, attributes);
    }
  }

  /** The name that begins at `start`: the same string for the same name, which is then neither cut out nor hashed anew. */
  #tagName(start: number): string {
    const source = this.#source;
    const place = ((source.charCodeAt(start) << 3) ^ source.charCodeAt(start + 1) ^ source.charCodeAt(start + 3)) & 63;
    const known = this.#names[place];
    if (known !== undefined && source.startsWith(known, start)) {
      const next = source.charCodeAt(start + known.length);
      if (next === 0x3e || next === 0x20 || next === 0x2f) return known;
    }
    const name = source.slice(start, endOfName(source, start));
    if (name !== '') this.#names[place] = name;
    return name;
  }

  #checkLimits(name: string, start: number): void {
    const { maxDepth, maxNameLength } = this.#options;
    if (this.#prefixes.length > maxDepth) this.#fail(`elements are nested deeper than ${maxDepth}`, start);
    if (name.length > maxNameLength) this.#fail('a name is too long', start);
  }

  /** Reads one attribute; returns where it ends. */
  #readAttribute(start: number, attributes: RawAttribute[]): number {
    const source = this.#source;
    const nameEnd = endOfName(source, start);
    const name = source.slice(start, nameEnd);
    if (name === '') this.#fail('expected the name of an attribute', start);
    let at = nameEnd;
    while (isSpace(source.charCodeAt(at))) at++;
    if (source.charCodeAt(at) !== 0x3d) this.#fail(`expected "=" after the attribute ${name}`, at);
    at++;
    while (isSpace(source.charCodeAt(at))) at++;
    const quote = source[at];
    if (quote !== '"' && quote !== "'") this.#fail(`expected a quoted value for the attribute ${name}`, at);
    const end = this.#endOf(quote ?? '', at + 1, `the value of the attribute ${name} is not closed`);
    const raw = source.slice(at + 1, end);
    const value = unusualValue.test(raw) ? this.#decodeValue(raw, at + 1) : raw;
    if (attributes.length >= this.#options.maxAttributes) {
      this.#fail(`an element has more than ${this.#options.maxAttributes} attributes`, start);
    }
    if (attributes.some((other) => other.name === name)) this.#fail(`the attribute ${name} occurs twice`, start);
    attributes.push({ name, value, at: start });
    return end + 1;
  }

  #decodeValue(raw: string, start: number): string {
    const angle = raw.indexOf('<');
    if (angle >= 0) this.#fail('"<" must not occur in the value of an attribute', start + angle);
    this.#refuseForbidden(raw, start);
    return this.#expand(raw.replace(/\r\n|[\t\n\r]/g, ' '), start);
  }

  #open(name: string, raw: readonly RawAttribute[], start: number): XmlElement {
    const outer = this.#prefixes.at(-1) ?? outermost;
    const element = new XmlElement('');
    const prefixes = this.#declare(element, raw, outer);
    this.#prefixes.push(prefixes);
    if (name.includes(':')) Object.assign(element, this.#resolve(name, prefixes, start + 1));
    else {
      element.local = name;
      element.uri = prefixes.get('') ?? '';
    }
    if (raw.length > element.declarations.length) this.#setAttributes(element, raw, prefixes);
    if (this.#options.positions) element.offset = start;
    element.pending = this;
    if (this.#current) this.#current.append(element);
    else {
      this.#top.push(element);
      this.#root = element;
    }
    this.#current = element;
    return element;
  }

  #setAttributes(element: XmlElement, raw: readonly RawAttribute[], prefixes: Prefixes): void {
    for (const { name, value, at } of raw) {
      if (name === 'xmlns' || name.startsWith('xmlns:')) continue;
      if (!name.includes(':')) {
        element.attributes.push({ prefix: '', local: name, uri: '', value });
        continue;
      }
      const { prefix, local, uri } = this.#resolve(name, prefixes, at);
      if (element.attributes.some((other) => other.local === local && other.uri === uri)) {
        this.#fail(`the attribute ${local} of the namespace ${uri} occurs twice`, at);
      }
      element.attributes.push({ prefix, local, uri, value });
    }
  }

  /** Takes the namespace declarations of an element; the prefixes in scope are shared where it has none. */
  #declare(element: XmlElement, raw: readonly RawAttribute[], outer: Prefixes): Prefixes {
    let scope: Map<string, string> | undefined;
    for (const { name, value, at } of raw) {
      if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
      const declaration: NamespaceDeclaration = { prefix: name === 'xmlns' ? '' : name.slice(6), uri: value };
      this.#checkDeclaration(declaration, at);
      element.declarations.push(declaration);
      scope ??= new Map(outer);
      scope.set(declaration.prefix, value);
    }
    return scope ?? outer;
  }

  /** The constraints of Namespaces in XML 1.0, sections 3 and 5. */
  #checkDeclaration({ prefix, uri }: NamespaceDeclaration, at: number): void {
    const isXml = prefix === 'xml' && uri === xmlNamespace;
    const isReserved = prefix === 'xmlns' || prefix === 'xml' || uri === xmlNamespace || uri === xmlnsNamespace;
    if (isReserved && !isXml) this.#fail(`the prefix "${prefix}" must not be bound to "${uri}"`, at);
    if (prefix !== '' && uri === '') this.#fail(`the prefix "${prefix}" must not be bound to no namespace`, at);
    if (prefix.includes(':')) this.#fail(`"xmlns:${prefix}" is no namespace declaration`, at);
  }

  /** The parts of a name with a prefix. */
  #resolve(name: string, prefixes: Prefixes, at: number): { prefix: string; local: string; uri: string } {
    const colon = name.indexOf(':');
    const prefix = name.slice(0, colon);
    const local = name.slice(colon + 1);
    if (prefix === '' || endOfName(local, 0) !== local.length || local === '' || local.includes(':')) {
      this.#fail(`"${name}" is no name with a namespace prefix`, at);
    }
    const uri = prefixes.get(prefix);
    if (uri === undefined || prefix === 'xmlns') return this.#fail(`the prefix "${prefix}" is not declared`, at);
    return { prefix, local, uri };
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function normalizeLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0');
}

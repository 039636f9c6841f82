import type { NamespaceDeclaration, XmlElement, XmlNode } from './tree.ts';

/**
 * Writes a node as XML text: declarations as they were read, plus those that the node needs from outside of it.
 * Empty elements take the short form. No XML declaration is written.
 */
export function serializeXml(node: XmlNode): string {
  return write(node, rootScope);
}

/** Writes several nodes one after the other. */
export function serializeAll(nodes: readonly XmlNode[]): string {
  let text = '';
  for (const node of nodes) text += write(node, rootScope);
  return text;
}

interface Scope {
  readonly declarations: readonly NamespaceDeclaration[];
  readonly outer: Scope | null;
}

const rootScope: Scope = {
  declarations: [{ prefix: 'xml', uri: 'http://www.w3.org/XML/1998/namespace' }],
  outer: null,
};

function write(node: XmlNode, scope: Scope): string {
  switch (node.kind) {
    case 'text':
      return node.cdata ? `<![CDATA[${node.value.replaceAll(']]>', ']]]]><![CDATA[>')}]]>` : escapeText(node.value);
    case 'comment':
      return `<!--${node.value}-->`;
    case 'instruction':
      return node.value === '' ? `<?${node.target}?>` : `<?${node.target} ${node.value}?>`;
    case 'element':
      return writeElement(node, scope);
  }
}

function writeElement(element: XmlElement, outer: Scope): string {
  const missing = missingDeclarations(element, outer);
  const own = ownDeclarations(element);
  const declarations = missing.length === 0 ? own : [...own, ...missing];
  const scope = declarations.length === 0 ? outer : { declarations, outer };
  const { name } = element;
  let text = `<${name}`;
  for (const { prefix, uri } of declarations) {
    text += prefix === '' ? ` xmlns="${escapeAttribute(uri)}"` : ` xmlns:${prefix}="${escapeAttribute(uri)}"`;
  }
  for (const { prefix, local, value } of element.attributes) {
    text += ` ${prefix === '' ? local : `${prefix}:${local}`}="${escapeAttribute(value)}"`;
  }
  const { children } = element;
  if (children.length === 0) return `${text}/>`;
  text += '>';
  for (const child of children) text += write(child, scope);
  return `${text}</${name}>`;
}

/** The element's declarations, its own prefix bound to its own namespace: the name of an element may have changed. */
function ownDeclarations({ declarations, prefix, uri }: XmlElement): readonly NamespaceDeclaration[] {
  const isStale = (declaration: NamespaceDeclaration): boolean =>
    declaration.prefix === prefix && declaration.uri !== uri;
  if (!declarations.some(isStale)) return declarations;
  return declarations.map((declaration) => (isStale(declaration) ? { prefix, uri } : declaration));
}

const nothing: readonly NamespaceDeclaration[] = [];

function missingDeclarations(element: XmlElement, outer: Scope): readonly NamespaceDeclaration[] {
  let missing = withNeeded(nothing, { element, outer, prefix: element.prefix, uri: element.uri });
  for (const { prefix, uri } of element.attributes) {
    if (prefix !== '') missing = withNeeded(missing, { element, outer, prefix, uri });
  }
  return missing;
}

interface Need {
  readonly element: XmlElement;
  readonly outer: Scope;
  readonly prefix: string;
  readonly uri: string;
}

/** The declarations with the one that a name needs, unless it is there already. */
function withNeeded(
  missing: readonly NamespaceDeclaration[],
  { element, outer, prefix, uri }: Need,
): readonly NamespaceDeclaration[] {
  if (isDeclared(element.declarations, prefix) || isDeclared(missing, prefix)) return missing;
  return resolve(outer, prefix) === uri ? missing : [...missing, { prefix, uri }];
}

function isDeclared(declarations: readonly NamespaceDeclaration[], prefix: string): boolean {
  for (const declaration of declarations) if (declaration.prefix === prefix) return true;
  return false;
}

function resolve(scope: Scope | null, prefix: string): string {
  for (let current = scope; current; current = current.outer) {
    for (const declaration of current.declarations) if (declaration.prefix === prefix) return declaration.uri;
  }
  return '';
}

const textSpecials = /[&<>\r]/;
const attributeSpecials = /[&<>"\t\n\r]/;
const replacements: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xa;',
  '\r': '&#xd;',
};

/** Escapes character data. */
export function escapeText(text: string): string {
  return textSpecials.test(text) ? text.replace(/[&<>\r]/g, (character) => replacements[character] ?? character) : text;
}

/** Escapes an attribute value for double quotes. */
export function escapeAttribute(text: string): string {
  if (!attributeSpecials.test(text)) return text;
  return text.replace(/[&<>"\t\n\r]/g, (character) => replacements[character] ?? character);
}

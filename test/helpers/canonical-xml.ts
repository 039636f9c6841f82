import { childElements, type XmlElement, type XmlNode } from '#xml';

/** Attributes whose value is the default, by element and attribute: they may be written or left out. */
const defaults: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  aggregation: { timeout: '0' },
  arg: { literal: 'false' },
  call: { blocking: 'false', initAxis2ClientOptions: 'true' },
  clone: { continueParent: 'false', sequential: 'false' },
  conditionalRoute: { breakRoute: 'true', asynchronous: 'false' },
  conditionalRouter: { continueAfter: 'false' },
  foreach: {
    continueLoopOnFailure: 'false',
    'parallel-execution': 'true',
    'update-original': 'true',
    'continue-without-aggregation': 'false',
  },
  header: { scope: 'default', action: 'set', type: 'STRING' },
  iterate: { continueParent: 'false', sequential: 'false', preservePayload: 'false' },
  log: { category: 'INFO', logFullPayload: 'false', logMessageID: 'false' },
  makefault: { version: 'soap11' },
  parameter: { isMandatory: 'false' },
  payloadFactory: { 'media-type': 'xml', 'template-type': 'default', escapeXmlChars: 'false' },
  property: { scope: 'default', type: 'STRING', action: 'set' },
  proxy: { startOnLoad: 'true' },
  publishWSDL: { preservePolicy: 'true' },
  route: { breakRouter: 'true' },
  router: { continueAfter: 'false' },
  'scatter-gather': { 'parallel-execution': 'true' },
  send: { buildmessage: 'false' },
  source: { type: 'custom', clone: 'true' },
  target: { type: 'custom', action: 'replace' },
  variable: { action: 'set' },
};

/** Children that are written in one order, whatever the order they were read in. */
const unordered = new Set([
  'http',
  'address',
  'default',
  'markForSuspension',
  'suspendOnFailure',
  'makefault',
  'proxy',
  'target',
  'template',
]);

/** Elements that mean nothing when they are empty or hold their default. */
const defaultElements: Readonly<Record<string, string>> = { args: '', retriesBeforeSuspension: '0', retryDelay: '0' };

/**
 * An element as lines of text that two documents of the same meaning share: namespaces resolved, attributes sorted,
 * defaults and blank text left out, numbers in one form, comments in place.
 */
export function canonicalLines(element: XmlElement, indent = ''): string[] {
  const { local } = element;
  const attributes = element.attributes
    .filter((attribute) => defaults[local]?.[attribute.local] !== attribute.value)
    .map(({ uri, local: name, value }) => `${qualified(uri, name)}=${JSON.stringify(plainValue(name, value))}`)
    .sort();
  const head = [`${indent}<${qualified(element.uri, local)}`, ...attributes].join(' ');
  const parts = element.children.map((child) => linesOf(child, `${indent}  `)).filter((lines) => lines.length > 0);
  if (unordered.has(local)) parts.sort((left, right) => ((left[0] ?? '') < (right[0] ?? '') ? -1 : 1));
  return [`${head}>`, ...parts.flat()];
}

function linesOf(node: XmlNode, indent: string): string[] {
  if (node.kind === 'element') return isDefault(node) ? [] : canonicalLines(node, indent);
  if (node.kind === 'comment') return [`${indent}<!--${node.value.trim()}-->`];
  if (node.kind !== 'text') return [];
  const text = node.value.trim();
  return text === '' ? [] : [`${indent}${JSON.stringify(plainText(text))}`];
}

/** Numbers without zeros at their end, lists of codes with commas. */
function plainText(text: string): string {
  if (/^\d+\.\d+$/.test(text)) return String(Number(text));
  return /^\d+([ ,]+\d+)+$/.test(text) ? text.replaceAll(/[ ,]+/g, ',') : text;
}

function isDefault(element: XmlElement): boolean {
  const expected = defaultElements[element.local];
  const content = element.children.map((child) => (child.kind === 'text' ? child.value.trim() : '?')).join('');
  if (expected !== undefined) return content === expected;
  // A group of which every part is a default says nothing.
  return element.local === 'markForSuspension' && childElements(element).every((child) => isDefault(child));
}

/** Values in one spelling: words of any case, contexts with slashes at the end, lists with blanks. */
function plainValue(name: string, value: string): string {
  if (name === 'method' || name === 'category') return value.toLowerCase();
  if (name === 'context') return value.replace(/\/+$/, '');
  if (name === 'transports' || name === 'pinnedServers') return value.split(/[\s,]+/).join(' ');
  return name === 'binds-to' ? value.replaceAll(' ', '') : value;
}

function qualified(uri: string, local: string): string {
  return uri === '' ? local : `{${uri}}${local}`;
}

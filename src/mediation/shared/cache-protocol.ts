import { compileJavaRegex } from '#core/java';
import { messageOf } from '#errors';
import { appendChild, XmlText, type SourceNode, type XmlElement } from '#xml';
import { synapseElement } from '../reading.ts';
import type { CacheKeyHeaders } from './cache-key.ts';

const methods = ['*', 'GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'CONNECT', 'PATCH'];
const childNames = [
  'methods',
  'headersToIncludeInHash',
  'headersToExcludeInHash',
  'responseCodes',
  'enableCacheControl',
  'includeAgeHeader',
  'hashGenerator',
] as const;
type ChildName = (typeof childNames)[number];

/** The `<protocol>` of `<cache>`, as written. */
export interface CacheProtocol {
  readonly type: string | undefined;
  /** Texts by element, in the order of the file. */
  readonly texts: ReadonlyMap<ChildName, string>;
}

/** What a protocol says, with what holds where it is silent. */
export interface CacheRules {
  readonly methods: readonly string[];
  readonly headers: CacheKeyHeaders;
  readonly storesStatus: (status: string) => boolean;
  readonly obeysCacheControl: boolean;
  readonly addsAge: boolean;
}

/** Reads `<protocol>`; what cannot be used is reported. */
export function readCacheProtocol(node: SourceNode): CacheProtocol {
  node.knowOnly(['type']);
  node.knowOnlyChildren(childNames);
  const type = node.attribute('type');
  if (type !== undefined && type.trim().toUpperCase() !== 'HTTP') {
    node.error(`"type" must be HTTP, found "${type}"`, { attribute: 'type' });
  }
  const texts = new Map<ChildName, string>();
  for (const child of node.children()) {
    const name = childNames.find((each) => each === child.local);
    if (name && !texts.has(name)) texts.set(name, checkedText(child, name));
  }
  return { type, texts };
}

function checkedText(node: SourceNode, name: ChildName): string {
  const text = node.text();
  switch (name) {
    case 'methods':
      for (const method of listOf(text.toUpperCase())) {
        if (!methods.includes(method)) node.error(`a method must be one of ${methods.join(' ')}; found "${method}"`);
      }
      break;
    case 'responseCodes':
      checkRegex(node, text);
      break;
    case 'hashGenerator':
      checkHashGenerator(node, text);
      break;
    case 'enableCacheControl':
    case 'includeAgeHeader':
      if (!/^(?:true|false|)$/i.test(text)) node.error(`<${name}> must be true or false, found "${text}"`);
      break;
    case 'headersToIncludeInHash':
    case 'headersToExcludeInHash':
  }
  return text;
}

function checkRegex(node: SourceNode, text: string): void {
  try {
    compileJavaRegex(text);
  } catch (error) {
    node.error(`<${node.local}> is not a regular expression: ${messageOf(error)}`, { code: 'MR_REGEX' });
  }
}

/** The hash generators of the original are one here; a class of somebody else has no counterpart. */
export function checkHashGenerator(node: SourceNode, className: string, attribute?: string): void {
  if (/^(?:.*\.)?(?:HttpRequestHashGenerator|DOMHASHGenerator|REQUESTHASHGenerator)?$/.test(className)) return;
  node.error(
    `the hash generator "${className}" is not known; expected HttpRequestHashGenerator, DOMHASHGenerator or REQUESTHASHGenerator`,
    { code: 'MR_CLASS_UNKNOWN', ...(attribute === undefined ? {} : { attribute }) },
  );
}

/** Writes `<protocol>` back. */
export function serializeCacheProtocol({ type, texts }: CacheProtocol): XmlElement {
  const element = synapseElement('protocol', { type });
  for (const [name, text] of texts) {
    appendChild(element, synapseElement(name, {}, text === '' ? [] : [new XmlText(text)]));
  }
  return element;
}

/** What holds for a cache; without a `<protocol>`, or one without a type, the defaults (mediators 6.1). */
export function cacheRules(protocol: CacheProtocol | undefined): CacheRules {
  const texts: CacheProtocol['texts'] = protocol?.type === undefined ? new Map() : protocol.texts;
  const listed = listOf((texts.get('methods') ?? '').toUpperCase());
  const codes = compileJavaRegex(texts.get('responseCodes') || '.*');
  const isTrue = (name: ChildName): boolean => texts.get(name)?.toLowerCase() === 'true';
  return {
    methods: listed.length === 0 ? ['*'] : listed,
    headers: {
      include: listOf((texts.get('headersToIncludeInHash') ?? '').toLowerCase()),
      exclude: listOf((texts.get('headersToExcludeInHash') ?? '').toLowerCase()),
    },
    storesStatus: (status) => codes.matches(status),
    // The original switches it off where nothing is said of the Age header.
    obeysCacheControl: isTrue('enableCacheControl') && texts.has('includeAgeHeader'),
    addsAge: isTrue('includeAgeHeader'),
  };
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

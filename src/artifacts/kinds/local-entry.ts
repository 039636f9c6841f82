import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { messageOf } from '#errors';
import { synapseElement, textElement } from '#mediation';
import { appendChild, childElements, cloneNode, XmlElement, type SourceNode } from '#xml';
import { defineArtifact } from '../artifact.ts';

/** The content of a local entry: an XML element or text. */
export type LocalEntryValue = string | XmlElement;

interface Definition {
  readonly key: string;
  readonly source: string | undefined;
  /** Undefined for a source that is not there. */
  readonly value: LocalEntryValue | undefined;
}

/** `<localEntry key="…">`: a value known by name: loaded from `src`, inline XML, or text (runtime-core 1.1). */
export const localEntry = defineArtifact<Definition>({
  element: 'localEntry',
  folders: ['local-entries'],
  order: 1,
  nameOf: (node) => node.required('key'),
  parse(node) {
    node.knowOnly(['key', 'src', 'description']);
    const source = node.attribute('src');
    return {
      key: node.attribute('key') ?? '',
      source,
      value: source === undefined ? inlineValue(node) : load(node, source),
    };
  },
  serialize({ key, source, value }) {
    if (source !== undefined) return synapseElement('localEntry', { key, src: source });
    const element = value instanceof XmlElement ? synapseElement('localEntry') : textElement('localEntry', value ?? '');
    element.attributes.push({ prefix: '', local: 'key', uri: '', value: key });
    if (value instanceof XmlElement) appendChild(element, cloneNode(value));
    return element;
  },
  compile: ({ value }) => value,
});

function inlineValue(node: SourceNode): LocalEntryValue {
  const element = childElements(node.element).find((child) => child.local !== 'description');
  return element ? cloneNode(element) : node.text();
}

/**
 * Loads the content named by `src` once, at deployment. A source that is not there leaves the name without a value, like
 * any other name that nothing answers to. Only files: nothing is fetched over the network here.
 */
function load(node: SourceNode, source: string): string | undefined {
  const options = { attribute: 'src', code: 'MR_LOCAL_ENTRY_SOURCE' };
  if (/^(?!file:)[a-z][a-z+.-]+:/i.test(source)) {
    node.warn(`the local entry has no content: ${source} is not fetched, only files are read`, options);
    return undefined;
  }
  try {
    return readFileSync(source.startsWith('file://') ? fileURLToPath(source) : source.replace(/^file:/, ''), 'utf8');
  } catch (error) {
    node.warn(`the local entry has no content: ${messageOf(error)}`, options);
    return undefined;
  }
}

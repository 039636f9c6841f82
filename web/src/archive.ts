/** An artifact in an archive. */
export interface ArchivedArtifact {
  readonly kind: string;
  readonly name: string;
  readonly source: string;
}

/** Kinds by the element that defines them. */
const kinds: Readonly<Record<string, string>> = {
  api: 'api',
  proxy: 'proxy',
  endpoint: 'endpoint',
  sequence: 'sequence',
  template: 'template',
  inboundEndpoint: 'inboundEndpoint',
  task: 'task',
  messageStore: 'messageStore',
  messageProcessor: 'messageProcessor',
  localEntry: 'localEntry',
  data: 'dataService',
};

/** Most bytes that one entry may have: an archive must not fill the browser. */
const entryLimit = 16 * 1024 * 1024;

/** The artifacts whose sources an archive holds. @throws Error when it is no archive */
export async function artifactsIn(archive: ArrayBuffer): Promise<readonly ArchivedArtifact[]> {
  const found: ArchivedArtifact[] = [];
  for (const entry of entriesOf(new DataView(archive))) {
    if (!/\.(?:xml|dbs)$/i.test(entry.name) || /(?:^|\/)(?:artifacts?|metadata)\.xml$/i.test(entry.name)) continue;
    const artifact = artifactOf(await textOf(archive, entry));
    if (artifact) found.push(artifact);
  }
  return found;
}

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly packed: number;
  readonly size: number;
  /** Where its own header begins. */
  readonly at: number;
}

/** Reads the directory at the end of a ZIP file. */
function entriesOf(view: DataView): Entry[] {
  const end = endOf(view);
  let at = view.getUint32(end + 16, true);
  return Array.from({ length: view.getUint16(end + 10, true) }, () => {
    if (view.getUint32(at, true) !== 0x02014b50) throw new Error('The directory of the archive is damaged');
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const entry = {
      name: new TextDecoder().decode(new Uint8Array(view.buffer, at + 46, nameLength)),
      method: view.getUint16(at + 10, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true),
    };
    at += 46 + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0);
    return entry;
  });
}

function endOf(view: DataView): number {
  // The record is the last one, before a comment of at most 65,535 bytes.
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 22 - 65_535); at--) {
    if (view.getUint32(at, true) === 0x06054b50) return at;
  }
  throw new Error('This file is no archive: expected a ZIP file such as a .car');
}

async function textOf(archive: ArrayBuffer, { name, method, packed, size, at }: Entry): Promise<string> {
  if (size > entryLimit) throw new Error(`${name} is larger than can be compared here`);
  const view = new DataView(archive);
  const from = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  const bytes = new Blob([archive.slice(from, from + packed)]);
  if (method === 0) return bytes.text();
  if (method !== 8) throw new Error(`${name} is packed in a way that is not known here (${method})`);
  return new Response(bytes.stream().pipeThrough(new DecompressionStream('deflate-raw'))).text();
}

function artifactOf(source: string): ArchivedArtifact | undefined {
  const document = new DOMParser().parseFromString(source, 'application/xml');
  const root = document.documentElement;
  const kind = kinds[root.localName];
  const name = root.getAttribute('name') ?? root.getAttribute('key');
  if (kind === undefined || name === null || document.querySelector('parsererror')) return undefined;
  const version = root.getAttribute('version');
  const isVersioned =
    kind === 'api' && version !== null && version !== '' && (root.getAttribute('version-type') ?? '') !== '';
  return { kind, name: isVersioned ? `${name}:v${version}` : name, source };
}

/** A source in one form, whoever wrote it: a line for each element, attributes in order, no comments. */
export function comparable(source: string): string {
  if (source === '') return '';
  const document = new DOMParser().parseFromString(source, 'application/xml');
  if (document.querySelector('parsererror')) return source;
  const lines: string[] = [];
  const write = (element: Element, depth: number): void => {
    const indent = '  '.repeat(depth);
    const attributes = [...element.attributes]
      .filter(({ name }) => name !== 'xmlns' && !name.startsWith('xmlns:'))
      .map(({ name, value }) => ` ${name}="${value}"`)
      .toSorted()
      .join('');
    lines.push(`${indent}<${element.localName}${attributes}>`);
    for (const child of element.childNodes) {
      if (child instanceof Element) write(child, depth + 1);
      else if (child instanceof Comment) continue;
      else if (child.textContent?.trim()) lines.push(`${indent}  ${child.textContent.trim()}`);
    }
  };
  write(document.documentElement, 0);
  return lines.join('\n');
}

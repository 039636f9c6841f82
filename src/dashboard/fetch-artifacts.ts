import type { Contents, NodeArtifact } from './contents.ts';
import { jsonOf } from './http-caller.ts';
import { asList, asRecord, asText, type Loose } from './json-shape.ts';
import { getHeader } from '#message';
import { artifactKinds, besidesBulk, findKind, type ArtifactKind } from './kinds.ts';
import type { NodeClient } from './node-client.ts';

/** What one node was found to have. */
export interface FoundArtifacts {
  readonly artifacts: readonly NodeArtifact[];
  /** What the runtime marked its answer with; undefined for one that must be asked list by list. */
  readonly tag: string | undefined;
}

/** Detail calls to one runtime at the same time. */
const together = 4;
/** Beyond so many changes everything is asked for in one answer. */
const fewChanges = 50;

/**
 * Reads the artifacts of a runtime. One that has the bulk call says first whether anything changed, then what, and only
 * that is fetched; others are asked list by list and one by one (management 1.5).
 *
 * @param tag the mark of the last answer
 * @returns undefined when nothing has changed since
 */
export async function fetchArtifacts(
  client: NodeClient,
  contents: Contents,
  tag?: string,
): Promise<FoundArtifacts | undefined> {
  const call = tag === undefined ? {} : { headers: ['If-None-Match', tag] };
  const answer = await client.call('artifacts?fields=kind,name,hash', call);
  if (answer.status === 304) return undefined;
  const items = answer.status === 200 ? asList(asRecord(jsonOf(answer))['list']).map(asRecord) : undefined;
  if (items?.every((item) => asText(item['hash']) !== undefined)) {
    const artifacts = await fetchChanged(client, items, contents);
    const besides = [];
    for (const kind of besidesBulk) besides.push(await fetchKind(client, kind, contents));
    return { artifacts: [...artifacts, ...besides.flat()], tag: getHeader(answer.headers, 'ETag') };
  }
  const lists = [];
  for (const kind of artifactKinds) lists.push(await fetchKind(client, kind, contents));
  return { artifacts: lists.flat(), tag: undefined };
}

async function fetchChanged(client: NodeClient, items: readonly Loose[], contents: Contents): Promise<NodeArtifact[]> {
  const hashOf = (item: Loose): string => asText(item['hash']) ?? '';
  // Held from here on: what no other node has any more is forgotten meanwhile.
  const known = new Map(items.map((item) => [hashOf(item), contents.find(hashOf(item))]));
  const missing = items.filter((item) => !known.get(hashOf(item)));
  const keys = new URLSearchParams(missing.map((item): [string, string] => ['key', asText(item['key']) ?? '']));
  const query = missing.length > fewChanges ? '' : `?${keys.toString()}`;
  const fetched =
    missing.length === 0 ? [] : asList(asRecord(await client.json(`artifacts${query}`))['list']).map(asRecord);
  for (const item of fetched) {
    const [kind, name] = [kindOf(item), asText(item['name'])];
    if (kind === undefined || name === undefined) continue;
    known.set(hashOf(item), contents.intern({ kind, name, hash: hashOf(item), detail: item }));
  }
  return items.flatMap((item) => known.get(hashOf(item)) ?? []);
}

/** Runtimes name kinds by the element, by the path of the list, or by ours. */
function kindOf(item: Loose): string | undefined {
  const said = asText(item['kind']) ?? asText(item['type']) ?? asText(item['key'])?.split(':', 1)[0];
  if (said === undefined) return undefined;
  const word = aliases[said] ?? said;
  return findKind(word)?.kind ?? artifactKinds.find(({ path }) => path === said)?.kind ?? said;
}

const aliases: Readonly<Record<string, string>> = {
  'proxy-service': 'proxy',
  proxyService: 'proxy',
  'inbound-endpoint': 'inboundEndpoint',
  inbound: 'inboundEndpoint',
  'message-store': 'messageStore',
  store: 'messageStore',
  'message-processor': 'messageProcessor',
  processor: 'messageProcessor',
  'local-entry': 'localEntry',
  'data-service': 'dataService',
  data: 'dataService',
  'data-source': 'dataSource',
};

async function fetchKind(client: NodeClient, kind: ArtifactKind, contents: Contents): Promise<NodeArtifact[]> {
  const answer = await client.call(kind.path);
  if (answer.status !== 200) return [];
  const body = asRecord(jsonOf(answer));
  const items = kind.kind === 'application' ? applicationsOf(body) : asList(body['list']).map(asRecord);
  const found: NodeArtifact[] = [];
  for (let from = 0; from < items.length; from += together) {
    const part = items.slice(from, from + together);
    found.push(...(await Promise.all(part.map((item) => fetchOne(client, kind, { item, contents })))).flat());
  }
  return found;
}

/** Active and faulty archives are two lists (management 1.7). */
function applicationsOf(body: Loose): Loose[] {
  return [
    ...asList(body['activeList']).map((item) => ({ ...asRecord(item), status: 'active' })),
    ...asList(body['faultyList']).map((item) => ({ ...asRecord(item), status: 'faulty' })),
  ];
}

async function fetchOne(
  client: NodeClient,
  kind: ArtifactKind,
  { item, contents }: { readonly item: Loose; readonly contents: Contents },
): Promise<NodeArtifact[]> {
  const name = asText(item['name']) ?? asText(item[kind.nameMember ?? 'name']);
  if (name === undefined) return [];
  if (kind.kind === 'application') return [contents.intern({ kind: kind.kind, name, detail: item })];
  // The lists of templates are full already, and one of them is asked for by its kind too.
  const query = new URLSearchParams({ [kind.parameter]: name });
  const type = asText(item['type']);
  if (kind.kind === 'template' && type !== undefined) query.set('type', type.toLowerCase().split(' ', 1)[0] ?? type);
  const answer = await client.call(`${kind.path}?${query.toString()}`);
  const detail = answer.status === 200 ? asRecord(jsonOf(answer)) : {};
  return [contents.intern({ kind: kind.kind, name, detail: { ...item, ...detail, name } })];
}

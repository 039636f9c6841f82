import type { Contents, NodeArtifact } from './contents.ts';
import { jsonOf } from './http-caller.ts';
import { asList, asRecord, asText, type Loose } from './json-shape.ts';
import { artifactKinds, findKind, type ArtifactKind } from './kinds.ts';
import type { NodeClient } from './node-client.ts';

/** What one node was found to have, and by which way it was asked. */
export interface FoundArtifacts {
  readonly artifacts: readonly NodeArtifact[];
  /** True when the runtime answered the bulk call, so that one request is enough next time too. */
  readonly isBulk: boolean;
}

/** Detail calls to one runtime at the same time. */
const together = 4;

/**
 * Reads every artifact of a runtime: with one call where the runtime has it, else list by list and one by one, as
 * runtimes of the original must be asked (management 1.5).
 */
export async function fetchArtifacts(client: NodeClient, contents: Contents): Promise<FoundArtifacts> {
  const bulk = await fetchAll(client, contents);
  if (bulk) return { artifacts: bulk, isBulk: true };
  const lists = [];
  for (const kind of artifactKinds) lists.push(await fetchKind(client, kind, contents));
  return { artifacts: lists.flat(), isBulk: false };
}

async function fetchAll(client: NodeClient, contents: Contents): Promise<NodeArtifact[] | undefined> {
  const answer = await client.call('artifacts?fields=configuration,state');
  if (answer.status !== 200) return undefined;
  const list = asList(asRecord(jsonOf(answer))['list']).map(asRecord);
  // A list of names alone says nothing about sources and states.
  if (list.some((item) => item['configuration'] === undefined && item['detail'] === undefined)) return undefined;
  return list.flatMap((item) => {
    const kind = kindOf(item);
    const name = asText(item['name']);
    if (kind === undefined || name === undefined) return [];
    return [contents.intern(kind, name, { ...item, ...asRecord(item['detail']) })];
  });
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
  if (kind.kind === 'application') return [contents.intern(kind.kind, name, item)];
  // The lists of templates are full already, and one of them is asked for by its kind too.
  const query = new URLSearchParams({ [kind.parameter]: name });
  const type = asText(item['type']);
  if (kind.kind === 'template' && type !== undefined) query.set('type', type.toLowerCase().split(' ', 1)[0] ?? type);
  const answer = await client.call(`${kind.path}?${query.toString()}`);
  const detail = answer.status === 200 ? asRecord(jsonOf(answer)) : {};
  return [contents.intern(kind.kind, name, { ...item, ...detail, name })];
}

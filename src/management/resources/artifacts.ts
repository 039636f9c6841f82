import { createHash } from 'node:crypto';
import { formatPosition } from '#errors';
import type { RunningInbound } from '#inbound';
import { maskText, type CompiledEndpoint, type RunningProcessor } from '#mediation';
import { defineOperation, jsonResponse, type Operation } from '#rest';
import { aboutOf } from '../about.ts';
import { factsOf, type ArtifactFacts } from '../artifact-facts.ts';
import { queryText } from '../conventions.ts';
import type { ManagedRuntime } from '../runtime.ts';

/**
 * `/artifacts`: everything that is deployed in one answer, each with a hash of what can be seen of it, so that a console
 * fetches only what changed. The answer carries an `ETag` over all of them.
 */
export function bulkOperations(runtime: ManagedRuntime): readonly Operation[] {
  return [
    defineOperation({
      id: 'listArtifacts',
      method: 'GET',
      path: '/artifacts',
      summary: 'Everything that is deployed, or what kind, key and fields choose of it',
      parameters: {
        query: (z) =>
          z.looseObject({
            kind: z.string().optional(),
            key: z.union([z.string(), z.array(z.string())]).optional(),
            fields: z.string().optional(),
          }) as never,
      },
      responses: { 200: { description: 'The artifacts' }, 304: { description: 'Nothing has changed' } },
      scope: 'read',
      handle({ query, request }) {
        const kind = queryText(query, 'kind');
        const keys = query['key'] === undefined ? undefined : [query['key']].flat();
        const fields = queryText(query, 'fields')?.split(',');
        const { artifacts, number } = runtime.deployer.current;
        const list = [...artifacts.values()]
          .filter(({ artifact }) => kind === undefined || artifact.kind === kind)
          .filter(({ artifact }) => keys === undefined || keys.includes(artifact.key))
          .map((deployed) => describe(factsOf(runtime, deployed), runtime));
        const tag = `"${hashOf(JSON.stringify([fields ?? [], list.map(({ hash }) => hash)]))}"`;
        const headers = { ETag: tag, 'Cache-Control': 'private, no-cache' };
        if (isKnown(request.headers.get('If-None-Match'), tag)) return new Response(null, { status: 304, headers });
        const shown = fields ? list.map((item) => chosen(item, fields)) : list;
        return jsonResponse({ world: number, count: list.length, list: shown }, 200, headers);
      },
    }),
  ];
}

type Item = Readonly<Record<string, unknown>> & { readonly hash: string };

function describe(facts: ArtifactFacts, runtime: ManagedRuntime): Item {
  const { deployed, key, name, xml, stats, tracing, configuration, application } = facts;
  const state = stateOf(facts, runtime);
  const about = maskText(aboutOf(deployed.artifact.kind, xml));
  const item = {
    key,
    kind: deployed.artifact.kind,
    name,
    at: formatPosition(deployed.artifact.position),
    ...(application !== undefined && { application }),
    stats,
    tracing,
    ...(state !== undefined && { state }),
    ...(about !== '' && { about }),
    configuration,
  };
  return { ...item, hash: hashOf(JSON.stringify(item)) };
}

/** `active` or another word for what can be switched; undefined for the rest. */
function stateOf({ deployed, key }: ArtifactFacts, { deployer }: ManagedRuntime): string | undefined {
  const { compiled, artifact } = deployed;
  const word = (isActive: boolean): string => (isActive ? 'active' : 'inactive');
  switch (artifact.kind) {
    case 'endpoint':
      return (compiled as CompiledEndpoint | undefined)?.status(deployer.current.library).state;
    case 'proxy':
      return word((compiled as { readonly active: boolean }).active);
    case 'messageProcessor':
    case 'inboundEndpoint':
      return word((deployer.live(key) as RunningProcessor | RunningInbound | undefined)?.isActive === true);
    case 'task':
      return word(!deployer.isHeld(key));
    default:
      return undefined;
  }
}

function chosen(item: Item, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).filter(([name]) => name === 'key' || fields.includes(name)));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

function isKnown(header: string | null, tag: string): boolean {
  return (header ?? '').split(',').some((each) => each.trim().replace(/^W\//, '') === tag || each.trim() === '*');
}

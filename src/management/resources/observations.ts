import { randomUUID } from 'node:crypto';
import { formatPosition, MillraceError, messageOf } from '#errors';
import { timeBounds, type Capture, type CaptureRequest, type CompiledEndpoint, type EndpointStatus } from '#mediation';
import { defineOperation, jsonResponse, pick, type Operation } from '#rest';
import { addressesOf } from '../artifact-facts.ts';
import { emptyResponse, listOf, queryText, refusal } from '../conventions.ts';
import type { SpreadCapture } from '../follow-changes.ts';
import { maskCapture, maskNarrative } from '../masked.ts';
import { findArtifact, type ManagedRuntime } from '../runtime.ts';

/** Bounds of a capture: one that is forgotten ends by itself. */
const longest = 3600;
const most = 10_000;

/** `/millrace/…`: counters of mediators, traces of messages, captures, and what happened to messages that failed. */
export function observationOperations(runtime: ManagedRuntime): readonly Operation[] {
  const { observer, narratives, deployer, node } = runtime;
  const { observations } = node;
  return [
    defineOperation({
      id: 'getCounters',
      method: 'GET',
      path: '/millrace/counters',
      summary: 'Counters of mediators that changed after the cursor since, of an artifact if it is given',
      responses: { 200: { description: 'Counters, bounds of their histograms in milliseconds, and the next cursor' } },
      scope: 'read',
      async handle({ query }) {
        const artifact = queryText(query, 'artifact');
        const { cursor, mediators } = await observations.counters(numberOf(query['since'], 'since'));
        const list = mediators
          .filter(({ id }) => artifact === undefined || id === artifact || id.startsWith(`${artifact}/`))
          .map(({ id, element, position, count, errors, inFlight, timeSum, histogram, window }) => ({
            id,
            element,
            at: formatPosition(position),
            count,
            errors,
            inFlight,
            timeSum,
            histogram,
            window,
          }));
        return { cursor, bounds: timeBounds, ...listOf(list) };
      },
    }),
    defineOperation({
      id: 'getTraces',
      method: 'GET',
      path: '/millrace/traces',
      summary:
        'Traced messages with a number above since: what asked, what was answered, where it ended; `q` looks in all that ' +
        'was recorded of them',
      responses: { 200: { description: 'The list under count and list' } },
      scope: 'admin',
      async handle({ query }) {
        const artifact = queryText(query, 'artifact');
        const correlation = queryText(query, 'correlation');
        const since = numberOf(query['since'], 'since');
        const word = queryText(query, 'q')?.toLowerCase();
        const found = (await observations.traces(word))
          .filter(({ number, isFound }) => number > since && isFound)
          .filter((trace) => artifact === undefined || trace.artifact === artifact)
          .filter((trace) => correlation === undefined || trace.correlation === correlation);
        return listOf(found.map((trace) => ({ ...trace, isFound: undefined })));
      },
    }),
    defineOperation({
      id: 'getTrace',
      method: 'GET',
      path: '/millrace/traces/{number}',
      summary: 'One traced message, step by step; `origin` is where requests to the APIs come in',
      responses: { 200: { description: 'The trace' }, 404: { description: 'It is not kept any more' } },
      scope: 'admin',
      audited: ({ path }) => ({ action: 'viewed', type: 'trace', info: pick(path, 'number') }),
      async handle({ path }) {
        const trace = await observations.trace(numberOf(path['number'], 'number'));
        if (!trace) throw refusal(404, `There is no trace ${path['number'] ?? ''}`);
        const [origin] = addressesOf(runtime, '');
        return { ...trace, origin };
      },
    }),
    defineOperation({
      id: 'clearTraces',
      method: 'DELETE',
      path: '/millrace/traces',
      summary: 'Forgets all traces',
      responses: { 200: { description: 'They are gone' } },
      scope: 'admin',
      audited: () => ({ action: 'deleted', type: 'traces', info: {} }),
      async handle() {
        await observations.clearTraces();
        return emptyResponse(200);
      },
    }),
    defineOperation({
      id: 'getCaptures',
      method: 'GET',
      path: '/millrace/captures',
      summary: 'The captures that are on',
      responses: { 200: { description: 'The list under count and list' } },
      scope: 'read',
      handle: () => listOf(observer.captures.list().map((capture) => maskCapture(capture, observer.masking))),
    }),
    defineOperation({
      id: 'startCapture',
      method: 'POST',
      path: '/millrace/captures',
      summary: 'Traces the next messages of an artifact, with a header, or for which an expression is true',
      body: (z) =>
        z.object({
          artifact: z.string().optional(),
          header: z.object({ name: z.string(), value: z.string().optional() }).optional(),
          predicate: z.string().optional(),
          next: z.number().int().min(1).max(most).default(1),
          seconds: z.number().min(1).max(longest).default(300),
          payloads: z.boolean().default(false),
          properties: z.boolean().default(true),
          variables: z.boolean().default(true),
        }),
      responses: { 201: { description: 'The capture, which ends by itself' } },
      scope: 'admin',
      audited: ({ body }) => ({
        action: 'enabled',
        type: 'capture',
        // Values of headers and predicates may be those of a person.
        info: {
          ...pick(body, 'artifact', 'next', 'seconds', 'payloads'),
          ...(body?.header && { header: body.header.name }),
        },
      }),
      async handle({ body }) {
        const { artifact, header, predicate, next, seconds, payloads, properties, variables } = body;
        if (artifact !== undefined && !deployer.current.artifacts.has(artifact)) {
          throw refusal(400, `There is no artifact "${artifact}"`);
        }
        const recorded = { payloads, properties, variables };
        const request = { artifact, header, predicate, next, duration: seconds * 1000, recorded };
        const capture = start(runtime, request);
        await deployer.rebuild();
        const state: SpreadCapture = { request, until: capture.until };
        await node.spread({ name: 'capture', subject: capture.id, state });
        return jsonResponse(maskCapture(capture, observer.masking), 201);
      },
    }),
    defineOperation({
      id: 'endCapture',
      method: 'DELETE',
      path: '/millrace/captures/{id}',
      summary: 'Ends a capture',
      responses: { 200: { description: 'It has ended' }, 404: { description: 'There is none' } },
      scope: 'admin',
      audited: ({ path }) => ({ action: 'disabled', type: 'capture', info: pick(path, 'id') }),
      async handle({ path }) {
        const id = path['id'] ?? '';
        if (!observer.captures.remove(id)) throw refusal(404, `There is no capture "${id}"`);
        await node.spread({ name: 'capture', subject: id, state: null });
        return emptyResponse(200);
      },
    }),
    defineOperation({
      id: 'getNarratives',
      method: 'GET',
      path: '/millrace/narratives',
      summary: 'What happened to messages that failed, with a number above since',
      responses: { 200: { description: 'The list under count and list' } },
      scope: 'read',
      handle({ query }) {
        const found = narratives.list(numberOf(query['since'], 'since'));
        return listOf(found.map((narrative) => maskNarrative(narrative, observer.masking)));
      },
    }),
    defineOperation({
      id: 'getEndpointState',
      method: 'GET',
      path: '/millrace/endpoint-states/{endpoint}',
      summary: 'Where an endpoint stands between active and suspended, with its members, and what it has sent',
      responses: { 200: { description: 'The state' }, 404: { description: 'There is no such endpoint' } },
      scope: 'read',
      handle({ path }) {
        const found = findArtifact(runtime, 'endpoint', path['endpoint'] ?? '');
        if (!found) throw refusal(404, `There is no endpoint "${path['endpoint'] ?? ''}"`);
        return stateOf((found.compiled as CompiledEndpoint).status(runtime.deployer.current.library));
      },
    }),
  ];
}

/** Among several processes a capture has a name that none of them gives to another one. */
function start({ observer, node }: ManagedRuntime, request: CaptureRequest): Capture {
  try {
    return observer.captures.add(request, node.worker === undefined ? undefined : randomUUID().slice(0, 8));
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    throw refusal(400, `The predicate is no expression: ${messageOf(error)}`);
  }
}

/** A status as JSON, which has no maps. */
function stateOf({ counts, members, ...status }: EndpointStatus): unknown {
  return {
    ...status,
    ...(counts && {
      sent: counts.sent,
      failed: counts.failed,
      failuresByCode: Object.fromEntries(counts.failuresByCode),
      totalTime: counts.totalTime,
      shortestTime: counts.shortestTime,
      longestTime: counts.longestTime,
    }),
    members: members.map(stateOf),
  };
}

function numberOf(value: unknown, name: string): number {
  const number = value === undefined ? 0 : Number(value);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw refusal(400, `"${name}" must be a whole number; found "${String(value)}"`);
}

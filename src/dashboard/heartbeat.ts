import { timingSafeEqual } from 'node:crypto';
import { defineOperation, jsonResponse, RestError, type Operation } from '#rest';
import { asList, asNumber, asRecord, asText, type Loose } from './json-shape.ts';
import type { NodeReader } from './reader.ts';
import type { Beat } from './registry.ts';

const longestInterval = 24 * 60 * 60;

/**
 * `POST /heartbeat` (management 2.1): answered at once, whatever becomes of the reading that it starts.
 *
 * @param options `secret` is what trusted runtimes send as a Bearer token; without one no beat proves anything
 */
export function heartbeatOperation(options: {
  readonly reader: NodeReader;
  readonly secret: string | undefined;
}): Operation {
  return defineOperation({
    id: 'heartbeat',
    method: 'POST',
    path: '/heartbeat',
    summary: 'A runtime says that it is there',
    body: (z) => z.looseObject({}),
    responses: { 200: { description: '`status` is `success` or `fail`' } },
    public: true,
    audit: '',
    handle({ body, request }) {
      const beat = readBeat(body);
      const shown = /^Bearer (.+)$/i.exec(request.headers.get('Authorization') ?? '')?.[1];
      if (shown !== undefined && options.secret !== undefined && !equals(shown, options.secret)) {
        throw new RestError({ code: 'MR_DASHBOARD_SECRET', status: 401, message: 'The heartbeat has another secret' });
      }
      options.reader.beat(beat, shown !== undefined && options.secret !== undefined);
      return jsonResponse({ status: 'success' });
    },
  });
}

/** @throws RestError 400 that names the member */
export function readBeat(body: Loose): Beat {
  const managementUrl = asText(body['mgtApiUrl']);
  if (managementUrl === undefined || !/^https?:\/\//.test(managementUrl) || !URL.canParse(managementUrl)) {
    throw invalid('mgtApiUrl', 'an http or https URL');
  }
  if (new URL(managementUrl).username !== '') throw invalid('mgtApiUrl', 'a URL without a user');
  const node = asText(body['nodeId']);
  if (node === undefined || node.length > 200) throw invalid('nodeId', 'a text of at most 200 characters');
  const group = asText(body['groupId']) ?? 'default';
  if (group.length > 200) throw invalid('groupId', 'a text of at most 200 characters');
  const interval = asNumber(Number(body['interval'] ?? 10));
  if (interval === undefined || interval <= 0 || interval > longestInterval) {
    throw invalid('interval', 'a number of seconds');
  }
  const changes = asRecord(body['changeNotification']);
  return {
    product: asText(body['product']) ?? 'mi',
    group,
    node,
    interval,
    managementUrl,
    hash: asText(body['runtimeHash']) ?? asText(body['artifactsHash']) ?? asText(body['hash']),
    hasChanges: Object.values(changes).some((list) => asList(list).length > 0),
  };
}

function invalid(member: string, expected: string): RestError {
  return new RestError({
    code: 'MR_DASHBOARD_BEAT',
    status: 400,
    message: `${member} of a heartbeat must be ${expected}`,
  });
}

function equals(left: string, right: string): boolean {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
}

import { setTimeout as pause } from 'node:timers/promises';
import type { EffectRow } from './effect-row.ts';
import { inServer, pair, startBackEnd, trust, trustStore } from './effect-server.ts';

/** The heartbeats that a dashboard got, and how many within `wait` milliseconds. */
async function heartbeats(text: string, wait = 0): Promise<readonly unknown[]> {
  const beats: Record<string, unknown>[] = [];
  const first = Promise.withResolvers<void>();
  await using dashboard = await startBackEnd(
    (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        beats.push({ ...(JSON.parse(body) as object), at: request.url, proof: request.headers.authorization });
        response.end('{"status":"success"}');
        first.resolve();
      });
    },
    { key: pair.privateKeyPem, cert: pair.certificatePem },
  );
  const configured = text.replace('DASHBOARD', `https://localhost:${dashboard.port}`);
  await inServer(configured, trustStore, async () => {
    await first.promise;
    await pause(wait);
  });
  return beats;
}

const dashboard = `${trust}[dashboard_config]\ndashboard_url = "DASHBOARD/dashboard/api/"\n`;

/** One field of the first heartbeat. */
async function heartbeatField(text: string, name: string): Promise<unknown> {
  const [beat] = (await heartbeats(text)) as Record<string, unknown>[];
  return beat?.[name];
}

export const rows: readonly EffectRow[] = [
  {
    key: 'dashboard_config.dashboard_url',
    first: 'DASHBOARD/one',
    second: 'DASHBOARD/two',
    given: trust,
    observe: (_, text) => heartbeatField(text, 'at'),
  },
  {
    key: 'millrace.heartbeat_secret',
    first: 'one',
    second: 'two',
    given: dashboard,
    observe: (_, text) => heartbeatField(text, 'proof'),
  },
  {
    key: 'dashboard_config.heartbeat_interval',
    first: 1,
    second: 30,
    given: dashboard,
    observe: async (_, text) => (await heartbeats(text, 1500)).length > 1,
  },
  {
    key: 'dashboard_config.group_id',
    first: 'blue',
    second: 'green',
    given: dashboard,
    observe: (_, text) => heartbeatField(text, 'groupId'),
  },
  {
    key: 'dashboard_config.node_id',
    first: 'one',
    second: 'two',
    given: dashboard,
    observe: (_, text) => heartbeatField(text, 'nodeId'),
  },
  {
    key: 'dashboard_config.management_hostname',
    first: 'one.example',
    second: 'two.example',
    given: dashboard,
    observe: (_, text) => heartbeatField(text, 'mgtApiUrl'),
  },
  {
    key: 'dashboard_config.management_port',
    first: 1443,
    second: 2443,
    given: dashboard,
    observe: (_, text) => heartbeatField(text, 'mgtApiUrl'),
  },
];

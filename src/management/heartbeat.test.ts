import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configureLog, createTestClock } from '#core';
import { startHeartbeat } from './heartbeat.ts';

configureLog({ level: 'silent', format: 'json' });

const settings = {
  dashboardUrl: 'https://dashboard.example/dashboard/api/',
  groupId: 'blue',
  nodeId: 'node-1',
  interval: 5000,
  managementUrl: 'https://10.0.0.5:9164/management/',
};

const unexpected = (): Promise<never> => Promise.reject(new Error('nothing more was expected'));

/** Lets what was promised happen. */
const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test('a heartbeat says who the node is and where its management API answers', async () => {
  const clock = createTestClock();
  const sent: [string, unknown][] = [];
  using _ = startHeartbeat(
    settings,
    (url, body) => {
      sent.push([url, JSON.parse(body)]);
      return Promise.resolve({ status: 200, text: '{"status":"success"}' });
    },
    clock,
  );
  assert.equal(sent.length, 0);
  clock.advance(1000);
  await settle();
  assert.deepEqual(sent, [
    [
      'https://dashboard.example/dashboard/api/heartbeat',
      {
        product: 'mi',
        groupId: 'blue',
        nodeId: 'node-1',
        interval: 5,
        mgtApiUrl: 'https://10.0.0.5:9164/management/',
        changeNotification: { deployedArtifacts: [], undeployedArtifacts: [], stateChangedArtifacts: [] },
      },
    ],
  ]);
  clock.advance(4999);
  await settle();
  assert.equal(sent.length, 1);
  clock.advance(1);
  await settle();
  assert.equal(sent.length, 2);
});

test('a dashboard that is away is told again, and the log says once that it went and once that it is back', async () => {
  const lines: string[] = [];
  configureLog({ level: 'info', format: 'json', destination: { write: (line) => void lines.push(line) } });
  const clock = createTestClock();
  const answers: (() => Promise<{ status: number; text: string }>)[] = [
    () => Promise.reject(new Error('nobody is there')),
    () => Promise.resolve({ status: 200, text: '{"status":"fail"}' }),
    () => Promise.resolve({ status: 200, text: '{"status":"success"}' }),
    () => Promise.resolve({ status: 200, text: '{"status":"success"}' }),
  ];
  let count = 0;
  const heartbeat = startHeartbeat(settings, () => (answers[Math.min(count++, 3)] ?? unexpected)(), clock);
  for (const time of [1000, 5000, 5000, 5000]) {
    clock.advance(time);
    await settle();
  }
  heartbeat[Symbol.dispose]();
  clock.advance(50_000);
  await settle();
  configureLog({ level: 'silent', format: 'json' });
  assert.equal(count, 4);
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
    ['the dashboard takes no heartbeats', 'the dashboard takes heartbeats'],
  );
});

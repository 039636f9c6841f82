import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFaultNarratives } from '#mediation';
import { startInProcess, type InProcessRuntime } from '../helpers/in-process.ts';

const cors = { enabled: true, allowOrigins: [], allowHeaders: '' };

function start(inSequence: string, back: readonly string[] = []): InProcessRuntime {
  const text = `<api xmlns="http://ws.apache.org/ns/synapse" name="Test" context="/t"><resource><inSequence>
${inSequence}
</inSequence></resource></api>`;
  const sources = { files: [{ file: 'test.xml', text }], packed: [], roots: [], definitions: new Map(), problems: [] };
  const scripts = back.map((line) => ({ match: line.split(' => ')[0] ?? '', text: line.split(' => ')[1] ?? '' }));
  return startInProcess({ sources, scripts, cors });
}

interface Told {
  readonly request: string;
  readonly status: number;
  readonly incidents: readonly { readonly kind: string; readonly facts: Readonly<Record<string, unknown>> }[];
}

function narrativesOf(runtime: InProcessRuntime): Told[] {
  return runtime.lines
    .map((line) => JSON.parse(line) as Told & { msg: string })
    .filter(({ msg }) => msg === 'what happened to a message that failed');
}

const call = '<call><endpoint><http method="get" uri-template="http://back/a?secret=1"/></endpoint></call>';

test('a message that did not fail has no narrative', async () => {
  const runtime = start('<respond/>');
  await runtime.exchange('GET /t HTTP/1.1\n', 'http');
  assert.deepEqual(narrativesOf(runtime), []);
});

test('a narrative names the back end, its new state, the mediator with its line, and what the client got', async () => {
  const runtime = start(call, ['GET http://back/a?secret=1 => refuse']);
  await runtime.exchange('GET /t?token=1 HTTP/1.1\n', 'http');
  const [told, ...others] = narrativesOf(runtime);
  assert.equal(others.length, 0);
  assert.equal(told?.request, 'GET /t');
  assert.equal(told?.status, 500);
  const [backEnd, fault] = told?.incidents ?? [];
  assert.equal(backEnd?.kind, 'back end');
  assert.equal(backEnd?.facts['url'], 'http://back/a');
  assert.equal(backEnd?.facts['code'], 101_503);
  assert.match(String(backEnd?.facts['state']), /^\w+ to \w+$/);
  assert.equal(fault?.kind, 'fault');
  assert.equal(fault?.facts['mediator'], 'api:Test/resource:0/in/0');
  assert.match(String(fault?.facts['at']), /^test\.xml:2/);
});

test('a narrative says which group missed a branch and which time-out ended it', async () => {
  const aggregate =
    '<aggregate><completeCondition timeout="1"/><onComplete expression="json-eval($)"><respond/></onComplete></aggregate>';
  const runtime = start(
    `<clone><target><sequence>${call}</sequence></target><target><sequence>${call.replace('/a?', '/b?')}</sequence></target></clone>${aggregate}`,
    [
      'GET http://back/a?secret=1 => 200 OK\nContent-Type: application/json\n\n1',
      'GET http://back/b?secret=1 => refuse',
    ],
  );
  await runtime.exchange('GET /t HTTP/1.1\n', 'http');
  const [told] = narrativesOf(runtime);
  const group = told?.incidents.find(({ kind }) => kind === 'incomplete group');
  assert.deepEqual(
    [group?.facts['mediator'], group?.facts['arrived'], group?.facts['expected']],
    ['api:Test/resource:0/in/1', 1, 2],
  );
  assert.equal(told?.status, 200);
});

test('the ring keeps the latest narratives, and a reader asks for what came after a number', () => {
  const ring = createFaultNarratives(2);
  const facts = { at: 0, request: 'GET /', duration: 1, incidents: [], status: 500 };
  for (const message of ['a', 'b', 'c']) ring.add({ ...facts, message });
  assert.deepEqual(
    ring.list().map(({ number, message }) => [number, message]),
    [
      [2, 'b'],
      [3, 'c'],
    ],
  );
  assert.deepEqual(
    ring.list(2).map(({ message }) => message),
    ['c'],
  );
});

import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { test } from 'node:test';

/** What is loaded from now on, by its path below `src`. */
const loaded: string[] = [];
registerHooks({
  load(url, context, nextLoad) {
    const path = /\/src\/(.*)$/.exec(url)?.[1];
    if (path !== undefined) loaded.push(path);
    return nextLoad(url, context);
  },
});

test('a process that watches over workers loads no part of the server that serves', async () => {
  await import('#server/launch');
  assert.ok(loaded.includes('server/workers/supervisor.ts'), 'the hook sees what is loaded');
  const serving = /^(?:api|artifacts|entry|identity|management|message|proxy|rest|transport|xml)\/|mediators\//;
  assert.deepEqual(
    loaded.filter((path) => serving.test(path)),
    [],
  );
});

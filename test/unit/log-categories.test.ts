import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { buildWorld, createArtifactReader } from '#artifacts';
import { configureLog } from '#core';
import { prepareInProcess } from '../helpers/in-process.ts';

after(() => configureLog({ level: 'info', format: 'json' }));

const categories = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'];

/** What the categories of `<log>` are written as, at a level of the log. */
async function levelsAt(level: 'trace' | 'info' | 'fatal'): Promise<Readonly<Record<string, string>>> {
  const { worldSettings, exchangeIn } = prepareInProcess({ scripts: [] });
  const levels: Record<string, string> = {};
  const write = (line: string): void => {
    const { msg, level: written } = JSON.parse(line) as { msg: string; level: string };
    const name = /^category = (.+)$/.exec(msg)?.[1];
    if (name !== undefined) levels[name] = written;
  };
  configureLog({ level, format: 'json', destination: { write } });
  const steps = categories.map(
    (name) => `<log level="custom" category="${name}"><property name="category" value="${name}"/></log>`,
  );
  const text = `<api xmlns="http://ws.apache.org/ns/synapse" name="A" context="/a"><resource methods="GET"><inSequence>${steps.join('')}<respond/></inSequence></resource></api>`;
  const sources = { files: [{ file: 'a.xml', text }], packed: [], roots: [], definitions: new Map(), problems: [] };
  const { world } = buildWorld(sources, worldSettings, createArtifactReader(worldSettings.kinds));
  await exchangeIn(() => world)('GET /a HTTP/1.1\nHost: test\n\n', 'http');
  await world.stop();
  return levels;
}

test('each category of a log mediator is a level of the log', async () => {
  assert.deepEqual(await levelsAt('trace'), {
    TRACE: 'trace',
    DEBUG: 'debug',
    INFO: 'info',
    WARN: 'warn',
    ERROR: 'error',
    FATAL: 'fatal',
  });
});

test('categories below the level of the log are not written', async () => {
  assert.deepEqual(Object.keys(await levelsAt('info')), ['INFO', 'WARN', 'ERROR', 'FATAL']);
  assert.deepEqual(Object.keys(await levelsAt('fatal')), ['FATAL']);
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { loadConfig, millrace, usableConfig } from '#config';
import { configureLog, createTestClock } from '#core';
import { superTenant } from '#identity';
import { openCheckers, type OpenCheckers } from './open-checkers.ts';

const directory = mkdtempSync(join(tmpdir(), 'millrace-health-'));
after(() => rmSync(directory, { recursive: true }));
writeFileSync(
  join(directory, 'depth.mjs'),
  `export const seen = [];
  export default class Depth {
    async init({ parameters }) { if (parameters.fails) throw new Error('no queue'); this.depth = parameters.depth; }
    async checkHealth() {
      if (this.depth === 'text') return 'deep';
      if (this.depth === 'thrown') throw new Error('s3cret');
      if (this.depth === 'several') throw new AggregateError([Object.assign(new Error('s3cret'), { code: 'X' })]);
      if (this.depth === 'told') throw Object.assign(new Error('deep'), { errors: [{ code: 'Q_1', message: 'too deep' }] });
      return { 'queue.depth': Number(this.depth) };
    }
  }
  export const wrong = { check() {} };`,
);

const log: string[] = [];

function open(text: string): Promise<OpenCheckers> {
  const config = usableConfig(loadConfig({ text, file: 'deployment.toml', env: {}, systemProperties: {} }));
  return openCheckers(config, {
    health: { phase: 'ready' },
    stores: { of: async () => [], faulty: async () => [] },
    superTenant,
    sources: () => [],
    extensions: { directory, classMap: config.bag(millrace.classMap) },
    clock: createTestClock(),
  });
}

const namesOf = async (text: string): Promise<string[]> => (await open(text)).checkers.map(({ name }) => name);
const own = (properties: string, name = './depth.mjs'): string =>
  `[[health_checker]]\nname = "${name}"\norder = "1"\n[health_checker.properties]\n${properties}\n`;
const last = async (text: string): ReturnType<OpenCheckers['checkers'][number]['check']> => {
  const { checkers } = await open(text);
  const found = checkers.find(({ name }) => name === './depth.mjs');
  assert.ok(found);
  return await found.check();
};

describe('the checkers of the configuration', () => {
  beforeEach(() => {
    log.length = 0;
    configureLog({ level: 'warn', format: 'json', destination: { write: (line) => void log.push(line) } });
  });
  afterEach(() => configureLog({ level: 'silent', format: 'json' }));

  it('are the built-in ones in their order', async () => {
    const builtIn = ['ServerStartupChecker', 'DataSourceHealthChecker', 'SuperTenantUSHealthChecker'];
    assert.deepEqual(await namesOf(''), builtIn);
    const first = '[carbon_health_check.health_checker.super_tenant_health_checker]\norder = "9"\n';
    assert.deepEqual(await namesOf(first), ['ServerStartupChecker', builtIn[2], builtIn[1]]);
  });

  it('take what a row with the name of a built-in one says', async () => {
    const row = '[[health_checker]]\nname = "SuperTenantUSHealthChecker"\norder = 3\n';
    assert.deepEqual((await namesOf(row))[1], 'SuperTenantUSHealthChecker');
  });

  it('include modules, by their path or by a mapped name', async () => {
    const mapped = `[millrace.class_map]\ncustomChecker = "./depth.mjs"\n${own('depth = "4"', 'customChecker')}`;
    assert.deepEqual((await namesOf(mapped))[1], 'customChecker');
    assert.deepEqual(await last(own('depth = "4"')), { properties: { 'queue.depth': '4' }, errors: [] });
  });

  it('show the errors that a module tells, and pass on any other one', async () => {
    const { errors } = await last(own('depth = "told"'));
    assert.deepEqual(errors, [{ code: 'Q_1', message: 'too deep', description: '' }]);
    await assert.rejects(last(own('depth = "thrown"')), /s3cret/);
    await assert.rejects(last(own('depth = "several"')), AggregateError);
    await assert.rejects(last(own('depth = "text"')), { code: 'MR_HEALTH_CHECKER_RESULT' });
  });

  it('leave out a name that nothing stands in for, and say so', async () => {
    assert.equal((await namesOf(own('a = "b"', 'customChecker'))).length, 3);
    assert.match(log.join(''), /a health checker is left out/);
    assert.match(log.join(''), /customChecker/);
  });

  it('stop the start for a module that is wrong, missing or does not start', async () => {
    await assert.rejects(open(own('', './depth.mjs#wrong')), /checkHealth/);
    await assert.rejects(open(own('', './missing.mjs')), /missing\.mjs/);
    await assert.rejects(open(own('fails = "yes"')), { code: 'MR_HEALTH_CHECKER_START' });
  });
});

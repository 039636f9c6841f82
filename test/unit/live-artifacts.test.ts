import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { buildWorld, createArtifactReader, createLiveArtifacts, type LiveArtifacts, type World } from '#artifacts';
import { configureLog } from '#core';
import type { RunningProcessor } from '#mediation';
import { prepareInProcess, quiet, type InProcessParts } from '../helpers/in-process.ts';
import { until } from '../helpers/until.ts';

const synapse = 'xmlns="http://ws.apache.org/ns/synapse"';
const sequence = (name: string): string =>
  `<sequence ${synapse} name="${name}"><log level="custom"><property name="ran" value="${name}"/></log></sequence>`;
const task = (interval: number, target = 'S', properties = ''): string =>
  `<task ${synapse} name="T"><trigger interval="${interval}"/><property name="injectTo" value="sequence"/>` +
  `<property name="sequenceName" value="${target}"/><property name="message"><m/></property>${properties}</task>`;

interface Deployment {
  readonly parts: InProcessParts;
  readonly live: LiveArtifacts;
  deploy(...texts: readonly string[]): World;
  /** How often a sequence has run. */
  count(name: string): number;
}

function createDeployment(classMap: Readonly<Record<string, string>> = {}, directory = '.'): Deployment {
  const parts = prepareInProcess({ scripts: [] });
  const { services } = parts.worldSettings;
  const settings = { ...parts.worldSettings, services: { ...services, extensions: { classMap, directory } } };
  const read = createArtifactReader(settings.kinds);
  let world: World | undefined;
  const live = createLiveArtifacts(() => world as World, settings.services);
  return {
    parts,
    live,
    deploy(...texts) {
      const files = texts.map((text, index) => ({ file: `${index}.xml`, text }));
      const sources = { files, packed: [], roots: [], definitions: new Map(), problems: [] };
      const built = buildWorld(sources, settings, read);
      assert.deepEqual(
        built.problems.filter(({ severity }) => severity === 'error'),
        [],
      );
      world = built.world;
      void live.apply(world);
      return world;
    },
    count: (name) => parts.lines.filter((line) => line.includes(`ran = ${name}`)).length,
  };
}

async function advance({ parts }: Deployment, milliseconds: number): Promise<void> {
  await quiet();
  parts.clock.advance(milliseconds);
  await quiet();
}

after(() => configureLog({ level: 'info', format: 'json' }));

describe('artifacts that run by themselves', () => {
  it('run on when other artifacts change, and use what is deployed then', async () => {
    const deployment = createDeployment();
    deployment.deploy(sequence('S'), task(10));
    await advance(deployment, 0);
    const before = deployment.live.find('task:T');
    deployment.deploy(sequence('S').replace('ran', 'now ran'), task(10), sequence('Other'));
    assert.equal(deployment.live.find('task:T'), before);
    await advance(deployment, 9000);
    assert.equal(deployment.count('S'), 1);
    await advance(deployment, 1000);
    assert.equal(deployment.count('S'), 2);
    assert.ok(deployment.parts.lines.some((line) => line.includes('now ran = S')));
  });

  it('begin anew when they change, and end when they are gone', async () => {
    const deployment = createDeployment();
    deployment.deploy(sequence('S'), sequence('R'), task(10));
    await advance(deployment, 0);
    deployment.deploy(sequence('S'), sequence('R'), task(10, 'R'));
    await advance(deployment, 0);
    assert.deepEqual([deployment.count('S'), deployment.count('R')], [1, 1]);
    deployment.deploy(sequence('S'), sequence('R'));
    await advance(deployment, 60_000);
    assert.equal(deployment.live.find('task:T'), undefined);
    assert.deepEqual([deployment.count('S'), deployment.count('R')], [1, 1]);
  });

  it('are the same when only their file is written otherwise', async () => {
    const deployment = createDeployment();
    deployment.deploy(sequence('S'), task(10));
    const before = deployment.live.find('task:T');
    deployment.deploy(sequence('S'), task(10).replaceAll('><', '>\n  <'));
    assert.equal(deployment.live.find('task:T'), before);
  });

  it('remember that they were deactivated when they are deployed anew', async () => {
    const deployment = createDeployment();
    const processor = (interval: number): string =>
      `<messageProcessor ${synapse} name="P" messageStore="M"><parameter name="interval">${interval}</parameter></messageProcessor>`;
    const store = `<messageStore ${synapse} name="M"/>`;
    deployment.deploy(store, processor(1000));
    await quiet();
    await (deployment.live.find('messageProcessor:P') as RunningProcessor).deactivate();
    deployment.deploy(store, processor(2000));
    await quiet();
    assert.equal((deployment.live.find('messageProcessor:P') as RunningProcessor).isActive, false);
  });

  it('end together, after what is under way', async () => {
    const deployment = createDeployment();
    deployment.deploy(sequence('S'), task(10));
    await advance(deployment, 0);
    await deployment.live.stop();
    await advance(deployment, 60_000);
    assert.equal(deployment.count('S'), 1);
  });

  it('may be classes of modules, filled with their properties', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-task-'));
    after(() => rmSync(directory, { recursive: true, force: true }));
    writeFileSync(
      join(directory, 'count.mjs'),
      `export default class Count {
  runs = 0;
  setStep(step) { this.step = Number(step); }
  init(environment) { this.environment = environment; }
  async execute() {
    this.runs += this.step;
    this.environment.log.info({}, 'runs = ' + this.runs + ' of ' + this.label);
    await this.environment.inject('S', '{"runs": ' + this.runs + '}');
  }
}
`,
    );
    const deployment = createDeployment({ 'com.example.Count': './count.mjs' }, directory);
    const custom =
      `<task ${synapse} name="T" class="com.example.Count"><trigger interval="5" count="2"/>` +
      '<property name="step" value="2"/><property name="label" value="mine"/></task>';
    const world = deployment.deploy(sequence('S'), custom);
    assert.deepEqual(await world.start(), []);
    // The class is read from its file, which takes its time.
    const logged = (text: string): Promise<void> =>
      until(`it logs ${text}`, async () => {
        await advance(deployment, 0);
        return deployment.parts.lines.some((line) => line.includes(text));
      });
    await logged('runs = 2 of mine');
    await advance(deployment, 5000);
    await logged('runs = 4 of mine');
    await advance(deployment, 60_000);
    assert.equal(deployment.count('S'), 2);
  });

  it('are refused when their module has no class that can be executed', async () => {
    const deployment = createDeployment({ 'com.example.Count': './none.mjs' }, tmpdir());
    const world = deployment.deploy(
      `<task ${synapse} name="T" class="com.example.Count"><trigger interval="5"/></task>`,
    );
    const [problem] = await world.start();
    assert.match(problem?.message ?? '', /The class of the task cannot be used: \.\/none\.mjs cannot be loaded/);
    await deployment.live.stop();
  });
});

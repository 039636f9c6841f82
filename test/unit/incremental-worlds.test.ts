import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { buildWorld, createArtifactReader, type World, type WorldSettings } from '#artifacts';
import { configureLog } from '#core';
import { createMasking, createObserver, type Observer } from '#mediation';
import { prepareInProcess } from '../helpers/in-process.ts';

const synapse = 'xmlns="http://ws.apache.org/ns/synapse"';

interface Deployment {
  readonly observer: Observer;
  /** Makes the next world of these texts by file; the keys of what was compiled for it are in the result. */
  deploy(texts: ReadonlyMap<string, string>): readonly string[];
  /** What a request is answered with by the current world, or by an earlier one. */
  ask(path: string, world?: World): Promise<string>;
  readonly world: World;
}

function createDeployment(): Deployment {
  const { worldSettings, clock, exchangeIn } = prepareInProcess({ scripts: [] });
  const observing = { statistics: true, capturesAll: false, window: undefined, maxBodyBytes: 1000 };
  const recorded = { payloads: false, properties: false, variables: false };
  const masking = createMasking({ rules: [], secretNames: true });
  const observer = createObserver({ ...observing, recorded, masking, correlationHeaders: [] }, clock, () => undefined);
  const settings: WorldSettings = { ...worldSettings, adviceFor: (artifact) => observer.adviceFor(artifact) };
  const read = createArtifactReader(settings.kinds);
  let world: World | undefined;
  const current = (): World => world as World;
  return {
    observer,
    deploy(texts) {
      const files = [...texts].map(([file, text]) => ({ file, text }));
      const sources = { files, packed: [], roots: [], definitions: new Map(), problems: [] };
      const built = buildWorld(sources, settings, read);
      const errors = built.problems.filter(({ severity }) => severity === 'error');
      assert.deepEqual(errors, []);
      ({ world } = built);
      return built.compiled;
    },
    ask: (path, asked = current()) => exchangeIn(() => asked)(`GET ${path} HTTP/1.1\nHost: test\n\n`, 'http'),
    get world() {
      return current();
    },
  };
}

const respond = (text: string): string =>
  `<payloadFactory media-type="text"><format>${text}</format></payloadFactory><respond/>`;
const apiOf = (name: string, steps: string): string =>
  `<api ${synapse} name="${name}" context="/${name}"><resource methods="GET"><inSequence>${steps}</inSequence></resource></api>`;
const sequenceOf = (name: string, steps: string): string => `<sequence ${synapse} name="${name}">${steps}</sequence>`;

const names = ['a', 'b', 'c', 'd'];

/** Mediators that lead to what comes later in the alphabet, so that nothing goes round in circles. */
const stepsFrom = (rank: number): fc.Arbitrary<string> => {
  const text = fc.nat(99).map((number) => respond(`text ${number}`));
  const later = names.slice(rank);
  if (later.length === 0) return text;
  const name = fc.constantFrom(...later);
  return fc.oneof(
    text,
    name.map((key) => `<sequence key="${key}"/>`),
    name.map((key) => `<call-template target="${key}"/>`),
    name.map((key) => `<filter xpath="true()"><then sequence="${key}"/></filter>`),
    name.map((key) => `<property name="wanted" value="${key}"/><sequence key="{get-property('wanted')}"/>`),
  );
};

interface Edit {
  readonly file: string;
  readonly text: string | undefined;
  readonly counted: string | undefined;
}

/** A file that is written or, without a text, taken away; and a sequence that is counted from then on, or no longer. */
const edits: fc.Arbitrary<Edit> = fc
  .record({
    rank: fc.nat(names.length - 1),
    kind: fc.constantFrom('api', 'sequence', 'template'),
    counted: fc.option(fc.constantFrom(...names), { nil: undefined }),
    isThere: fc.nat(3).map((number) => number > 0),
  })
  .chain(({ rank, kind, counted, isThere }): fc.Arbitrary<Edit> => {
    const name = names[rank] ?? '';
    const file = `${kind}-${name}.xml`;
    if (!isThere) return fc.constant({ file, text: undefined, counted });
    return stepsFrom(kind === 'api' ? 0 : rank + 1).map((steps) => {
      const text = {
        api: apiOf(name, steps),
        sequence: sequenceOf(name, steps),
        template: `<template ${synapse} name="${name}"><sequence>${steps}</sequence></template>`,
      }[kind];
      return { file, text, counted };
    });
  });

after(() => configureLog({ level: 'info', format: 'json' }));

describe('a world after another', () => {
  it('compiles one of a thousand artifacts when that one is observed', () => {
    const deployment = createDeployment();
    const texts = new Map(
      Array.from({ length: 1000 }, (_, index) => [`${index}.xml`, sequenceOf(`s${index}`, '<log/>')]),
    );
    assert.equal(deployment.deploy(texts).filter((key) => /:s\d/.test(key)).length, 1000);
    assert.deepEqual(deployment.deploy(texts), []);
    deployment.observer.set('sequence:s7', 'trace', true);
    assert.deepEqual(deployment.deploy(texts), ['sequence:s7']);
    deployment.observer.set('sequence:s7', 'statistics', true);
    assert.deepEqual(deployment.deploy(texts), ['sequence:s7']);
    deployment.observer.set('sequence:s8', 'trace', false);
    assert.deepEqual(deployment.deploy(texts), []);
  });

  it('runs the changed sequence from artifacts that were not compiled again', async () => {
    const deployment = createDeployment();
    const api = ['a.xml', apiOf('a', '<sequence key="s"/>')] as const;
    deployment.deploy(new Map([api, ['s.xml', sequenceOf('s', respond('one'))]]));
    assert.match(await deployment.ask('/a'), /one/);
    assert.deepEqual(deployment.deploy(new Map([api, ['s.xml', sequenceOf('s', respond('two'))]])), ['sequence:s']);
    assert.match(await deployment.ask('/a'), /two/);
  });

  it('keeps a message in the world in which it began', async () => {
    const deployment = createDeployment();
    const api = ['a.xml', apiOf('a', '<sequence key="s"/>')] as const;
    deployment.deploy(new Map([api, ['s.xml', sequenceOf('s', respond('one'))]]));
    const { world } = deployment;
    deployment.deploy(new Map([api, ['s.xml', sequenceOf('s', respond('two'))]]));
    assert.equal(world.artifacts.get('api:a')?.compiled, deployment.world.artifacts.get('api:a')?.compiled);
    assert.match(await deployment.ask('/a', world), /one/);
    assert.match(await deployment.ask('/a'), /two/);
  });

  it('compiles anew what has read a local entry or a template that changed', () => {
    const deployment = createDeployment();
    const entry = (url: string): string =>
      `<localEntry ${synapse} key="wsdl"><definitions xmlns="http://schemas.xmlsoap.org/wsdl/"><service name="S"><port name="P"><address xmlns="http://schemas.xmlsoap.org/wsdl/soap/" location="${url}"/></port></service></definitions></localEntry>`;
    const reader = `<endpoint ${synapse} name="e"><wsdl uri="wsdl" service="S" port="P"/></endpoint>`;
    const template = (timeout: number): string =>
      `<template ${synapse} name="t"><parameter name="uri"/><endpoint><address uri="$uri"><timeout><duration>${timeout}</duration></timeout></address></endpoint></template>`;
    const made = `<endpoint ${synapse} name="m" template="t" uri="http://h/"/>`;
    const other = `<endpoint ${synapse} name="o"><address uri="http://h/"/></endpoint>`;
    const files = (url: string, timeout: number): Map<string, string> =>
      new Map([
        ['l.xml', entry(url)],
        ['e.xml', reader],
        ['t.xml', template(timeout)],
        ['m.xml', made],
        ['o.xml', other],
      ]);
    deployment.deploy(files('http://h/a', 1));
    assert.deepEqual([...deployment.deploy(files('http://h/b', 1))].sort(), ['endpoint:e', 'localEntry:wsdl']);
    assert.deepEqual([...deployment.deploy(files('http://h/b', 2))].sort(), ['endpoint:m', 'template:t']);
  });

  it('answers after any edits as a world that is made of the same texts alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edits, { minLength: 1, maxLength: 25 }), async (all) => {
        const texts = new Map<string, string>();
        const incremental = createDeployment();
        for (const { file, text, counted } of all) {
          if (text === undefined) texts.delete(file);
          else texts.set(file, text);
          if (counted !== undefined) incremental.observer.set(`sequence:${counted}`, 'statistics', text !== undefined);
          incremental.deploy(texts);
          const fresh = createDeployment();
          fresh.deploy(texts);
          for (const each of names) assert.equal(await incremental.ask(`/${each}`), await fresh.ask(`/${each}`));
        }
      }),
      { numRuns: 25 },
    );
  });
});

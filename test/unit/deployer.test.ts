import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { createDeployer, findPlaces, type Deployer } from '#artifacts';
import { configureLog } from '#core';
import { prepareInProcess, quiet, type InProcessParts } from '../helpers/in-process.ts';
import { car, temporaryFolder, writeFiles, zip, type Files } from '../helpers/temporary-files.ts';

after(() => configureLog({ level: 'info', format: 'json' }));

const namespace = 'xmlns="http://ws.apache.org/ns/synapse"';

function apiThatSays(name: string, text: string): string {
  return `<api ${namespace} name="${name}" context="/${name}"><resource><inSequence>
  <payloadFactory media-type="text"><format>${text}</format><args/></payloadFactory><respond/>
</inSequence></resource></api>`;
}

interface Running {
  readonly root: string;
  readonly deployer: Deployer;
  readonly parts: InProcessParts;
  /** Status and body of the answer to a GET. */
  readonly get: (target: string) => Promise<string>;
}

async function start(t: TestContext, files: Files, modules: Files = {}): Promise<Running> {
  const root = temporaryFolder(t, files);
  const extensions = { classMap: { 'noting.Starts': './noting.mjs#Starts' }, directory: temporaryFolder(t, modules) };
  const parts = prepareInProcess({ scripts: [{ match: '*', text: 'silence' }], extensions });
  const deployer = await createDeployer(findPlaces(root), parts.worldSettings);
  t.after(() => deployer[Symbol.asyncDispose]());
  const exchange = parts.exchangeIn(() => deployer.current);
  return {
    root,
    deployer,
    parts,
    async get(target) {
      const answer = await exchange(`GET ${target} HTTP/1.1\n`, 'http');
      return `${answer.slice(0, 3)} ${answer.slice(answer.indexOf('\n\n') + 2)}`.trim();
    },
  };
}

test('a changed file replaces its artifact, a removed one takes it away, a new one adds one', async (t) => {
  const { root, deployer, get } = await start(t, {
    'api/A.xml': apiThatSays('A', 'one'),
    'api/B.xml': apiThatSays('B', 'b'),
  });
  writeFiles(root, { 'api/A.xml': apiThatSays('A', 'two'), 'api/C.xml': apiThatSays('C', 'c') });
  rmSync(join(root, 'api/B.xml'));
  assert.equal(await get('/A'), '200 one');
  const report = await deployer.deploy();
  assert.equal(report.deployed, true);
  assert.equal(await get('/A'), '200 two');
  assert.equal(await get('/B'), '404');
  assert.equal(await get('/C'), '200 c');
});

test('a file that becomes faulty leaves what it replaces in place, and other changes are deployed', async (t) => {
  const { root, deployer, get } = await start(t, {
    'api/A.xml': apiThatSays('A', 'one'),
    'api/B.xml': apiThatSays('B', 'b'),
  });
  writeFiles(root, { 'api/A.xml': '<api', 'api/B.xml': apiThatSays('B', 'changed') });
  const report = await deployer.deploy();
  assert.ok(report.problems.some(({ position }) => position?.file.endsWith('A.xml')));
  assert.equal(await get('/A'), '200 one');
  assert.equal(await get('/B'), '200 changed');
  writeFiles(root, { 'api/A.xml': apiThatSays('A', 'repaired') });
  await deployer.deploy();
  assert.equal(await get('/A'), '200 repaired');
});

test('a file that was faulty at the start is deployed when it is repaired', async (t) => {
  const { root, deployer, get } = await start(t, { 'api/A.xml': '<api/>', 'api/B.xml': apiThatSays('B', 'b') });
  assert.equal(await get('/A'), '404');
  assert.equal(await get('/B'), '200 b');
  writeFiles(root, { 'api/A.xml': apiThatSays('A', 'repaired') });
  await deployer.deploy();
  assert.equal(await get('/A'), '200 repaired');
});

test('nothing is replaced when nothing changed', async (t) => {
  const { deployer } = await start(t, { 'api/A.xml': apiThatSays('A', 'one') });
  const before = deployer.current;
  const report = await deployer.deploy();
  assert.equal(report.deployed, false);
  assert.equal(deployer.current, before);
});

test('a message stays in the world in which it began', async (t) => {
  const waiting = (text: string): string => `<api ${namespace} name="A" context="/A"><resource><inSequence>
  <call><endpoint><http method="get" uri-template="http://back/"><timeout><duration>50</duration><responseAction>fault</responseAction></timeout></http></endpoint></call>
</inSequence><faultSequence><sequence key="S"/><respond/></faultSequence></resource></api>${text}`;
  const sequence = (text: string): string =>
    `<sequence ${namespace} name="S"><payloadFactory media-type="text"><format>${text}</format><args/></payloadFactory></sequence>`;
  const { root, deployer, parts, get } = await start(t, {
    'api/A.xml': waiting(''),
    'sequences/S.xml': sequence('old'),
  });
  const began = deployer.current;
  const pending = get('/A');
  await quiet();
  assert.equal(began.messages, 1);
  writeFiles(root, { 'sequences/S.xml': sequence('new') });
  await deployer.deploy();
  assert.notEqual(deployer.current, began);
  parts.clock.advance(50);
  assert.equal(await pending, '200 old');
  await began.retired();
  assert.equal(began.messages, 0);
});

test('an application is replaced as a whole, or not at all', async (t) => {
  const application = (text: string, extra: string): Promise<Uint8Array> =>
    zip(
      car({
        name: 'App',
        parts: [
          { name: 'A', type: 'synapse/api', files: { 'A.xml': apiThatSays('A', text) } },
          {
            name: 'S',
            type: 'synapse/sequence',
            files: { 'S.xml': `<sequence ${namespace} name="S">${extra}</sequence>` },
          },
        ],
      }),
    );
  const { root, deployer, get } = await start(t, { 'App.car': await application('one', '') });
  writeFiles(root, { 'App.car': await application('two', '<nope/>') });
  assert.equal((await deployer.deploy()).deployed, false);
  assert.equal(await get('/A'), '200 one');
  writeFiles(root, { 'App.car': await application('three', '<drop/>') });
  assert.equal((await deployer.deploy()).deployed, true);
  assert.equal(await get('/A'), '200 three');
  rmSync(join(root, 'App.car'));
  await deployer.deploy();
  assert.equal(await get('/A'), '404');
});

test('applications that an application contains are replaced and kept with it', async (t) => {
  const outer = async (text: string, extra: string): Promise<Uint8Array> => {
    const inner = car({
      name: 'Inner',
      parts: [{ name: 'A', type: 'synapse/api', files: { 'A.xml': apiThatSays('A', text) } }],
      dependsOn: [],
    });
    const own = car({
      name: 'Outer',
      parts: [{ name: 'B', type: 'synapse/api', files: { 'B.xml': apiThatSays('B', text) + extra } }],
      dependsOn: ['Inner'],
    });
    return zip({ ...own, 'dependencies/Inner.car': await zip(inner) });
  };
  const { root, deployer, get } = await start(t, { 'Outer.car': await outer('one', '') });
  assert.equal(await get('/A'), '200 one');
  writeFiles(root, { 'Outer.car': await outer('two', '<broken') });
  await deployer.deploy();
  assert.equal(await get('/A'), '200 one');
  assert.equal(await get('/B'), '200 one');
  writeFiles(root, { 'Outer.car': await outer('three', '') });
  await deployer.deploy();
  assert.equal(await get('/A'), '200 three');
  assert.equal(await get('/B'), '200 three');
});

const classOf = `<class ${namespace} name="noting.Starts"/>`;
const sequenceOf = (name: string, steps: string): string => `<sequence ${namespace} name="${name}">${steps}</sequence>`;

/** A class mediator that writes down each start and each end. */
const notingModule = `export class Starts {
  init(context) { globalThis.startsNoted.push('start ' + context.id); this.id = context.id; }
  destroy() { globalThis.startsNoted.push('end ' + this.id); }
  mediate() { return true; }
}`;

test('what an artifact runs begins and ends once for each change of it, and goes on through all others', async (t) => {
  const noted: string[] = [];
  Object.assign(globalThis, { startsNoted: noted });
  t.after(() => Reflect.deleteProperty(globalThis, 'startsNoted'));
  const { root, deployer } = await start(
    t,
    { 'sequences/S.xml': sequenceOf('S', classOf), 'sequences/O.xml': sequenceOf('O', '<log/>') },
    { 'noting.mjs': notingModule },
  );
  assert.deepEqual(noted, ['start sequence:S/0']);
  writeFiles(root, { 'sequences/O.xml': sequenceOf('O', '<drop/>') });
  await deployer.deploy();
  await deployer.rebuild();
  await quiet();
  assert.deepEqual(noted, ['start sequence:S/0']);
  writeFiles(root, { 'sequences/S.xml': sequenceOf('S', `<log/>${classOf}`) });
  await deployer.deploy();
  await quiet();
  assert.deepEqual(noted, ['start sequence:S/0', 'start sequence:S/1', 'end sequence:S/0']);
  writeFiles(root, { 'sequences/S.xml': '<sequence' });
  await deployer.deploy();
  await quiet();
  assert.equal(noted.length, 3);
  rmSync(join(root, 'sequences/S.xml'));
  await deployer.deploy();
  await quiet();
  assert.deepEqual(noted.slice(3), ['end sequence:S/1']);
});

test('a resource of the registry that was read at deployment has its readers deployed anew', async (t) => {
  const wsdl = (url: string): string =>
    `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"><service name="S"><port name="P"><address xmlns="http://schemas.xmlsoap.org/wsdl/soap/" location="${url}"/></port></service></definitions>`;
  const { root, deployer } = await start(t, {
    'artifacts/endpoints/E.xml': `<endpoint ${namespace} name="E"><wsdl uri="gov:s.wsdl" service="S" port="P"/></endpoint>`,
    'artifacts/endpoints/O.xml': `<endpoint ${namespace} name="O"><address uri="http://h/"/></endpoint>`,
    'registry/governance/s.wsdl': wsdl('http://h/a'),
  });
  const compiledOf = (name: string): unknown => deployer.current.artifacts.get(`endpoint:${name}`)?.compiled;
  const before = [compiledOf('E'), compiledOf('O')];
  assert.equal((await deployer.deploy()).deployed, false);
  writeFiles(root, { 'registry/governance/s.wsdl': wsdl('http://h/b') });
  assert.equal((await deployer.deploy()).deployed, true);
  assert.notEqual(compiledOf('E'), before[0]);
  assert.equal(compiledOf('O'), before[1]);
});

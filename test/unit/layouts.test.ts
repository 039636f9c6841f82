import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { assembleSources, findPlaces, readSources } from '#artifacts';
import { configureLog } from '#core';
import { startInProcess, type InProcessRuntime } from '../helpers/in-process.ts';
import { car, temporaryFolder, zip, type CarPart, type Files } from '../helpers/temporary-files.ts';

after(() => configureLog({ level: 'info', format: 'json' }));

const namespace = 'xmlns="http://ws.apache.org/ns/synapse"';

/** An API that answers with the text of an expression. */
function apiThatSays(name: string, expression: string): string {
  return `<api ${namespace} name="${name}" context="/${name}"><resource><inSequence>
  <payloadFactory media-type="text"><format>$1</format><args><arg expression="${expression}"/></args></payloadFactory>
  <respond/>
</inSequence></resource></api>`;
}

/** A sequence that sets the property `from`. */
function sequence(name: string): string {
  return `<sequence ${namespace} name="${name}"><property name="from" value="${name}"/></sequence>`;
}

const registryReader = apiThatSays('registry', "get-property('registry', get-property('query.param.key'))");

/** Deploys what is in a folder of these files. */
async function deploy(t: TestContext, files: Files): Promise<InProcessRuntime> {
  return deployFolder(temporaryFolder(t, files));
}

async function deployFolder(path: string): Promise<InProcessRuntime> {
  const sources = assembleSources(await readSources(findPlaces(path)));
  return startInProcess({ sources, scripts: [], cors: { enabled: true, allowOrigins: [], allowHeaders: '' } });
}

/** The body of the answer to a GET. */
async function get(runtime: InProcessRuntime, target: string): Promise<string> {
  const answer = await runtime.exchange(`GET ${target} HTTP/1.1\n`, 'http');
  return answer.slice(answer.indexOf('\n\n') + 2);
}

/** Keys of what was deployed beside the built-in sequences. */
function ownKeys(runtime: InProcessRuntime): string[] {
  return runtime.deployed.filter((key) => key !== 'sequence:main' && key !== 'sequence:fault').sort();
}

function errorsOf(runtime: InProcessRuntime): string[] {
  return runtime.problems.filter(({ severity }) => severity === 'error').map(({ message }) => message);
}

function apiPart(name: string): CarPart {
  return { name, type: 'synapse/api', files: { [`${name}-1.0.0.xml`]: apiThatSays(name, `'${name}'`) } };
}

test('a project of the newer layout deploys with its resources', async (t) => {
  const runtime = await deploy(t, {
    'pom.xml': '<project/>',
    'src/main/wso2mi/artifacts/apis/A.xml': registryReader,
    'src/main/wso2mi/artifacts/sequences/S.xml': sequence('S'),
    'src/main/wso2mi/artifacts/endpoints/E.xml': `<endpoint ${namespace} name="E"><http uri-template="http://back/"/></endpoint>`,
    'src/main/wso2mi/artifacts/local-entries/L.xml': `<localEntry ${namespace} key="L">text</localEntry>`,
    'src/main/wso2mi/artifacts/templates/T.xml': `<template ${namespace} name="T"><sequence/></template>`,
    'src/main/wso2mi/resources/registry/gov/a/b.txt': 'governance',
    'src/main/wso2mi/resources/registry/conf/c.txt': 'config',
    'src/main/wso2mi/resources/api-definitions/d.yaml': 'openapi: 3.0.3',
    'src/test/wso2mi/Suite.xml': '<unit-test/>',
  });
  assert.deepEqual(errorsOf(runtime), []);
  assert.deepEqual(ownKeys(runtime), ['api:registry', 'endpoint:E', 'localEntry:L', 'sequence:S', 'template:T']);
  assert.equal(await get(runtime, '/registry?key=gov:/a/b.txt'), 'governance');
  assert.equal(await get(runtime, '/registry?key=conf:/c.txt'), 'config');
  assert.equal(await get(runtime, '/registry?key=resources:api-definitions/d.yaml'), 'openapi: 3.0.3');
});

test('a project of the older layout deploys', async (t) => {
  const runtime = await deploy(t, {
    'pom.xml': '<project/>',
    'artifact.xml': '<artifacts/>',
    'src/main/synapse-config/api/A.xml': apiThatSays('A', "'a'"),
    'src/main/synapse-config/sequences/S.xml': sequence('S'),
    'target/capp/api/A.xml': apiThatSays('Copy', "'copy'"),
  });
  assert.deepEqual(ownKeys(runtime), ['api:A', 'sequence:S']);
});

test('the modules of a project deploy together', async (t) => {
  const runtime = await deploy(t, {
    'pom.xml': '<project/>',
    'OrdersConfigs/src/main/synapse-config/api/A.xml': `<api ${namespace} name="A" context="/a"><resource><inSequence><sequence key="S"/><respond/></inSequence></resource></api>`,
    'group/Shared/src/main/wso2mi/artifacts/sequences/S.xml': sequence('S'),
    'group/Shared/src/main/wso2mi/resources/registry/gov/x.txt': 'x',
  });
  assert.deepEqual(ownKeys(runtime), ['api:A', 'sequence:S']);
  assert.deepEqual(runtime.problems, []);
});

test('a home of the originals deploys its artifacts, applications and registry', async (t) => {
  const runtime = await deploy(t, {
    'repository/deployment/server/synapse-configs/default/api/R.xml': registryReader,
    'repository/deployment/server/synapse-configs/default/synapse.xml': `<definitions ${namespace}><registry provider="x"/><sequence name="Flat"><drop/></sequence></definitions>`,
    'repository/deployment/server/carbonapps/App.car': await zip(car({ name: 'App', parts: [apiPart('Packed')] })),
    'repository/resources/other.xml': '<other/>',
    'registry/governance/g.txt': 'governance',
    'registry/config/c.txt': 'config',
    'registry/local/l.txt': 'local',
  });
  assert.deepEqual(errorsOf(runtime), []);
  assert.deepEqual(ownKeys(runtime), ['api:Packed', 'api:registry', 'sequence:Flat']);
  assert.equal(await get(runtime, '/registry?key=gov:/g.txt'), 'governance');
  assert.equal(await get(runtime, '/registry?key=conf:/c.txt'), 'config');
  assert.equal(await get(runtime, '/registry?key=local:/l.txt'), 'local');
});

test('a home of ours deploys its artifacts and applications', async (t) => {
  const runtime = await deploy(t, {
    'conf/deployment.toml': '',
    'artifacts/api/A.xml': apiThatSays('A', "'a'"),
    'carbonapps/App.car': await zip(car({ name: 'App', parts: [apiPart('Packed')] })),
    'data/leftover.xml': sequence('Leftover'),
  });
  assert.deepEqual(ownKeys(runtime), ['api:A', 'api:Packed']);
});

test('registry keys lead to their roots in every form, and never out of them', async (t) => {
  const runtime = await deploy(t, {
    'artifacts/api/R.xml': registryReader,
    'registry/governance/a.txt': 'governance',
    'registry/governance/mi-resources/m.txt': 'resources',
    'registry/governance/p.txt': 'with properties',
    'registry/governance/p.txt.properties': '# comment\nowner=me\nlevel : 3\n',
    'registry/governance/dir/dir.properties': 'kind=collection\n',
    'registry/config/a.txt': 'config',
    'registry/local/a.txt': 'local',
    'secret.txt': 'secret',
  });
  const read = (key: string): Promise<string> => get(runtime, `/registry?key=${encodeURIComponent(key)}`);
  assert.equal(await read('gov:/a.txt'), 'governance');
  assert.equal(await read('gov:a.txt'), 'governance');
  assert.equal(await read('conf:/a.txt'), 'config');
  assert.equal(await read('conf:a.txt'), 'config');
  assert.equal(await read('local:/a.txt'), 'local');
  assert.equal(await read('a.txt'), 'governance');
  assert.equal(await read('/a.txt'), 'governance');
  assert.equal(await read('/_system/governance/a.txt'), 'governance');
  assert.equal(await read('/_system/config/a.txt'), 'config');
  assert.equal(await read('resources:m.txt'), 'resources');
  assert.equal(await read('gov:/p.txt@owner'), 'me');
  assert.equal(await read('gov:/p.txt@level'), '3');
  assert.equal(await read('gov:/dir@kind'), 'collection');
  assert.equal(await read('gov:/none.txt'), '');
  for (const key of ['gov:/../../secret.txt', 'conf:../../secret.txt', '/_system/governance/../../secret.txt']) {
    assert.equal(await read(key), '', key);
    assert.ok(
      runtime.lines.some((line) => line.includes('a message failed')),
      `${key} was not refused`,
    );
    runtime.lines.length = 0;
  }
});

test('a property of scope registry is written below its root', async (t) => {
  const write = (name: string, value: string): string => `<property name="${name}" value="${value}" scope="registry"/>`;
  const root = temporaryFolder(t, {
    'artifacts/api/R.xml': registryReader,
    'artifacts/api/W.xml': `<api ${namespace} name="W" context="/w"><resource><inSequence>${write('conf:/new/w.txt', 'written')}${write('conf:/new/w.txt@owner', 'me')}<respond/></inSequence></resource></api>`,
    'artifacts/api/X.xml': `<api ${namespace} name="X" context="/x"><resource><inSequence>${write('conf:/../../x.txt', 'out')}<respond/></inSequence></resource></api>`,
    'registry/config/there.txt': '',
  });
  const runtime = await deployFolder(root);
  await get(runtime, '/w');
  assert.equal(await get(runtime, '/registry?key=conf:/new/w.txt'), 'written');
  assert.equal(await get(runtime, '/registry?key=conf:/new/w.txt@owner'), 'me');
  assert.equal(readFileSync(join(root, 'registry/config/new/w.txt'), 'utf8'), 'written');
  await get(runtime, '/x');
  assert.equal(existsSync(join(root, 'x.txt')), false);
});

test('an application brings artifacts, resources with properties, and definitions', async (t) => {
  const registryInfo = `<resources><item><file>data.txt</file><path>/_system/governance/app</path><mediaType>text/plain</mediaType>
  <properties><property key="owner" value="app"/></properties></item></resources>`;
  const runtime = await deploy(t, {
    'App.car': await zip(
      car({
        name: 'App',
        parts: [
          { name: 'Reader', type: 'synapse/api', files: { 'Reader-1.0.0.xml': registryReader } },
          apiPart('Second'),
          { name: 'Seq', type: 'synapse/sequence', files: { 'Seq-1.0.0.xml': sequence('Seq') } },
          {
            name: 'Data',
            type: 'registry/resource',
            files: { 'registry-info.xml': registryInfo, 'resources/data.txt': 'from the application' },
          },
          {
            name: 'registry_swagger',
            type: 'synapse/metadata',
            below: 'metadata/',
            files: { 'registry_swagger-1.0.0.yaml': 'openapi: 3.0.1\ninfo:\n  title: shipped\n' },
          },
          { name: 'Other', type: 'synapse/api', serverRole: 'IdentityServer', files: { 'x.xml': '<api/>' } },
          { name: 'lib', type: 'lib/synapse/mediator', files: { 'lib.jar': 'java' } },
        ],
      }),
    ),
  });
  assert.deepEqual(errorsOf(runtime), []);
  assert.deepEqual(
    runtime.problems.map(({ severity, message }) => [severity, message]),
    [['warning', 'lib (lib/synapse/mediator) is a Java library and is left out']],
  );
  assert.deepEqual(ownKeys(runtime), ['api:Second', 'api:registry', 'sequence:Seq']);
  assert.equal(await get(runtime, '/registry?key=gov:/app/data.txt'), 'from the application');
  assert.equal(await get(runtime, '/registry?key=gov:/app/data.txt@owner'), 'app');
  assert.match(await get(runtime, '/registry?swagger.json'), /"title": "shipped"/);
});

test('a broken artifact keeps its whole application out, and nothing else', async (t) => {
  const runtime = await deploy(t, {
    'A.car': await zip(
      car({
        name: 'Broken',
        parts: [
          apiPart('Fine'),
          {
            name: 'Bad',
            type: 'synapse/sequence',
            files: { 'Bad.xml': `<sequence ${namespace} name="Bad"><nope/></sequence>` },
          },
        ],
      }),
    ),
    'B.car': await zip(car({ name: 'Sound', parts: [apiPart('Sound')] })),
    'C.car': await zip({ 'artifacts.xml': '<artifacts/>' }),
    'D.car': 'no archive',
    'E.car': await zip(car({ name: 'Missing', parts: [{ name: 'M', type: 'synapse/api', files: {} }] })),
  });
  assert.deepEqual(ownKeys(runtime), ['api:Sound']);
  const errors = errorsOf(runtime).join('\n');
  assert.match(errors, /Unknown mediator referenced by configuration element : <nope>/);
  assert.match(errors, /expected an artifact of type carbon\/application/);
  assert.match(errors, /D\.car/);
  assert.match(errors, /the application does not contain this file/);
  const places = runtime.problems.map(({ position }) => position?.file ?? '');
  assert.ok(places.some((file) => file.endsWith('A.car!/Bad_1.0.0/Bad.xml')));
});

test('applications with descriptors are deployed after what they depend on', async (t) => {
  // Both define the same sequence; the one that is deployed later is refused, which shows the order.
  const seq: CarPart = { name: 'S', type: 'synapse/sequence', files: { 'S.xml': sequence('S') } };
  const runtime = await deploy(t, {
    'A.car': await zip(car({ name: 'A', parts: [apiPart('A'), seq], dependsOn: ['B'] })),
    'B.car': await zip(car({ name: 'B', parts: [apiPart('B'), seq], dependsOn: [] })),
  });
  assert.deepEqual(ownKeys(runtime), ['api:B', 'sequence:S']);
  assert.match(errorsOf(runtime).join('\n'), /sequence:S is already in .*B\.car/);
});

test('without a descriptor in each of them applications are deployed by file name', async (t) => {
  const seq: CarPart = { name: 'S', type: 'synapse/sequence', files: { 'S.xml': sequence('S') } };
  const runtime = await deploy(t, {
    'A.car': await zip(car({ name: 'A', parts: [apiPart('A'), seq], dependsOn: ['B'] })),
    'B.car': await zip(car({ name: 'B', parts: [apiPart('B'), seq] })),
  });
  assert.deepEqual(ownKeys(runtime), ['api:A', 'sequence:S']);
  assert.ok(runtime.problems.some(({ severity, message }) => severity === 'warning' && /descriptor/.test(message)));
});

test('an application without its dependency, in a circle or there twice is refused', async (t) => {
  const runtime = await deploy(t, {
    'A.car': await zip(car({ name: 'A', parts: [apiPart('A')], dependsOn: ['Nowhere'] })),
    'B.car': await zip(car({ name: 'B', parts: [apiPart('B')], dependsOn: ['C'] })),
    'C.car': await zip(car({ name: 'C', parts: [apiPart('C')], dependsOn: ['B'] })),
    'D.car': await zip(car({ name: 'D', parts: [apiPart('D')], dependsOn: [] })),
    'E.car': await zip(car({ name: 'D', parts: [apiPart('D2')], dependsOn: [] })),
  });
  assert.deepEqual(ownKeys(runtime), ['api:D']);
  const errors = errorsOf(runtime).join('\n');
  assert.match(errors, /A_1\.0\.0: its dependency Nowhere_1\.0\.0 is not there/);
  assert.match(errors, /it depends on itself through/);
  assert.match(errors, /D_1\.0\.0: an application of this name and version is deployed already/);
});

test('an application brings the applications that it contains', async (t) => {
  const inner = await zip(car({ name: 'Inner', parts: [apiPart('Inner')], dependsOn: [] }));
  const outer = {
    ...car({ name: 'Outer', parts: [apiPart('Outer')], dependsOn: ['Inner'] }),
    'dependencies/Inner.car': inner,
  };
  const runtime = await deploy(t, { 'Outer.car': await zip(outer) });
  assert.deepEqual(errorsOf(runtime), []);
  assert.deepEqual(ownKeys(runtime), ['api:Inner', 'api:Outer']);
});

test('archives with names that lead out of them are refused', async (t) => {
  const renamed = async (from: string, to: string): Promise<Uint8Array> => {
    const bytes = await zip({ ...car({ name: 'Evil', parts: [apiPart('Evil')] }), [from]: 'x' });
    const text = Buffer.from(bytes).toString('latin1').replaceAll(from, to);
    assert.equal(from.length, to.length);
    return Buffer.from(text, 'latin1');
  };
  const runtime = await deploy(t, {
    'Up.car': await renamed('aa/evil.xml', '../evil.xml'),
    'Inside.car': await renamed('a/bb/evil.xml', 'a/../evil.xml'),
    'Absolute.car': await renamed('aevil.xml', '/evil.xml'),
    'Backslash.car': await renamed('aa/evil.xml', '..\\evil.xml'),
    'Twice.car': await renamed('artifacts.xmX', 'artifacts.XML'),
    'Sound.car': await zip(car({ name: 'Sound', parts: [apiPart('Sound')] })),
  });
  assert.deepEqual(ownKeys(runtime), ['api:Sound']);
  assert.equal(errorsOf(runtime).length, 5);
});

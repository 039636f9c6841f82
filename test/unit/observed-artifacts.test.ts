import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { buildWorld, createArtifactReader, readArtifacts, type Artifact } from '#artifacts';
import { loadConfig, usableConfig } from '#config';
import { configureLog } from '#core';
import { artifactKinds } from '../../src/server/artifact-kinds.ts';
import { openSteering } from '../../src/server/observation.ts';
import { prepareInProcess } from '../helpers/in-process.ts';

after(() => configureLog({ level: 'info', format: 'json' }));

const synapse = 'xmlns="http://ws.apache.org/ns/synapse"';

/** Artifacts with a gap for the attributes, by what they are. */
const texts: Readonly<Record<string, (attributes: string) => string>> = {
  api: (attributes) =>
    `<api ${synapse} name="A" context="/a" ${attributes}><resource methods="GET"><inSequence><respond/></inSequence></resource></api>`,
  sequence: (attributes) => `<sequence ${synapse} name="S" ${attributes}><log/></sequence>`,
  proxy: (attributes) =>
    `<proxy ${synapse} name="P" ${attributes}><target><inSequence><respond/></inSequence></target></proxy>`,
  inboundEndpoint: (attributes) =>
    `<inboundEndpoint ${synapse} name="I" protocol="http" sequence="main" ${attributes}><parameters><parameter name="inbound.http.port">8085</parameter></parameters></inboundEndpoint>`,
  'endpoint with an address': (attributes) =>
    `<endpoint ${synapse} name="E"><property name="p" value="1"/><address uri="http://back" ${attributes}/></endpoint>`,
  'endpoint with members': (attributes) =>
    `<endpoint ${synapse} name="E"><loadbalance ${attributes}><endpoint><address uri="http://back"/></endpoint></loadbalance></endpoint>`,
};

for (const [what, write] of Object.entries(texts)) {
  test(`an artifact says whether it wants to be counted and traced: ${what}`, () => {
    const observed = (attributes: string): unknown => {
      const { artifacts, problems } = readArtifacts(write(attributes), 'a.xml', artifactKinds);
      assert.deepEqual(problems, []);
      return artifacts[0]?.observed;
    };
    assert.deepEqual(observed(''), { statistics: false, trace: false });
    assert.deepEqual(observed('statistics="enable"'), { statistics: true, trace: false });
    assert.deepEqual(observed('trace="enable"'), { statistics: false, trace: true });
    assert.deepEqual(observed('statistics="disable" trace="disable"'), { statistics: false, trace: false });
  });
}

test('mediators of a proxy service and a sequence are counted and traced as their artifacts say', async () => {
  const { worldSettings, clock, exchangeIn } = prepareInProcess({ scripts: [] });
  const text = '[mediation]\nflow.statistics.enable = true\n';
  const config = usableConfig(loadConfig({ text, file: 'deployment.toml', env: {} }));
  using steering = openSteering(config, clock, 1000);
  const { observer } = steering;
  const settings = { ...worldSettings, adviceFor: (artifact: Artifact) => observer.adviceFor(artifact) };
  const proxy = (name: string, attributes: string): string =>
    `<proxy ${synapse} name="${name}" ${attributes}><target><inSequence><sequence key="${name}"/><respond/></inSequence></target></proxy>`;
  const sequence = (name: string, attributes: string): string =>
    `<sequence ${synapse} name="${name}" ${attributes}><log/></sequence>`;
  const files = [
    proxy('Counted', 'statistics="enable"'),
    sequence('Counted', 'statistics="enable"'),
    proxy('Traced', 'trace="enable"'),
    sequence('Traced', ''),
    proxy('Quiet', ''),
    sequence('Quiet', 'trace="enable"'),
  ].map((written, index) => ({ file: `${index}.xml`, text: written }));
  const sources = { files, packed: [], roots: [], definitions: new Map(), problems: [] };
  const { world, problems } = buildWorld(sources, settings, createArtifactReader(settings.kinds));
  assert.deepEqual(problems, []);
  for (const name of ['Counted', 'Traced', 'Quiet']) {
    await exchangeIn(() => world)(`GET /services/${name}/x HTTP/1.1\nHost: test\n\n`, 'http');
  }
  await world.stop();
  assert.deepEqual(
    observer.counters
      .list()
      .mediators.map(({ id, count }) => `${id} ${count}`)
      .toSorted(),
    ['proxy:Counted/in/0 1', 'proxy:Counted/in/1 1', 'sequence:Counted/0 1'],
  );
  assert.deepEqual(
    observer.traces.list().map(({ artifact }) => artifact),
    ['proxy:Traced', 'sequence:Quiet'],
  );
});

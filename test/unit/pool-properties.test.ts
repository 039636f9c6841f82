import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { buildWorld, createArtifactReader, type World } from '#artifacts';
import { configureLog } from '#core';
import type { ConnectionFacts } from '#db';
import { prepareInProcess } from '../helpers/in-process.ts';

after(() => configureLog({ level: 'info', format: 'json' }));

/** The connections that a `<dblookup>` with these properties of its pool asks for. */
async function askedFor(properties: Readonly<Record<string, string>>): Promise<readonly ConnectionFacts[]> {
  const { worldSettings, exchangeIn } = prepareInProcess({ scripts: [] });
  const asked: ConnectionFacts[] = [];
  const { services } = worldSettings;
  const dataSources = {
    ...services.background.dataSources,
    connect(facts: ConnectionFacts) {
      asked.push(facts);
      return Promise.reject(new Error('there is no database'));
    },
  };
  const settings = {
    ...worldSettings,
    services: { ...services, background: { ...services.background, dataSources } },
  };
  const written = Object.entries(properties).map(([name, value]) => `<property name="${name}" value="${value}"/>`);
  const text = `<api xmlns="http://ws.apache.org/ns/synapse" name="A" context="/a"><resource methods="GET"><inSequence>
  <dblookup>
    <connection><pool>
      <driver>org.postgresql.Driver</driver><url>jdbc:postgresql://db/orders</url><user>u</user><password>p</password>
      ${written.join('')}
    </pool></connection>
    <statement><sql>SELECT 1 AS one</sql><result name="one" column="one"/></statement>
  </dblookup>
</inSequence></resource></api>`;
  const sources = { files: [{ file: 'a.xml', text }], packed: [], roots: [], definitions: new Map(), problems: [] };
  const { world, problems } = buildWorld(sources, settings, createArtifactReader(settings.kinds));
  assert.deepEqual(problems, []);
  const current = (): World => world;
  await exchangeIn(current)('GET /a HTTP/1.1\nHost: test\n\n', 'http');
  await world.stop();
  return asked;
}

const where = { url: 'jdbc:postgresql://db/orders', username: 'u', password: 'p' };

test('properties of a pool are those of its connections', async () => {
  const properties = {
    maxactive: '3',
    maxidle: '2',
    maxwait: '500',
    testonborrow: 'true',
    validationquery: 'SELECT 2',
  };
  const pool = { maxActive: 3, maxIdle: 2, maxWait: 500, testOnBorrow: true, validationQuery: 'SELECT 2' };
  assert.deepEqual(await askedFor(properties), [{ ...where, pool }]);
});

test('properties of a pool that has no such thing here change nothing', async () => {
  const properties = { initialsize: '2', minidle: '1', testonreturn: 'true', testwhileidle: 'true' };
  assert.deepEqual(await askedFor(properties), [{ ...where, pool: {} }]);
});

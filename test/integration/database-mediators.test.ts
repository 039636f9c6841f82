import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { configureLog } from '#core';
import type { DatabasePeer } from '../peers/database-peer.ts';
import { mariadbMissing, startMariadb } from '../peers/mariadb.ts';
import { postgresqlMissing, startPostgresql } from '../peers/postgresql.ts';
import { freePorts, startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';
import { until } from '../helpers/until.ts';

const synapse = 'xmlns="http://ws.apache.org/ns/synapse"';

const insert = (name: string, attributes = ''): string => `<dbreport${attributes}>
  <connection><pool><dsName>jdbc/Shop</dsName></pool></connection>
  <statement>
    <sql>insert into company (name, price, born) values (?, ?, ?)</sql>
    <parameter expression="${name}" type="VARCHAR"/>
    <parameter value="12.50" type="DECIMAL"/>
    <parameter value="2026-01-31" type="DATE"/>
  </statement>
</dbreport>`;

const resource = (path: string, body: string): string => `<resource methods="POST" uri-template="/${path}">
  <inSequence>${body}<payloadFactory media-type="json"><format>{"price": "$1", "born": "$2"}</format><args>
    <arg expression="$ctx:price"/><arg expression="$ctx:born"/></args></payloadFactory><respond/></inSequence>
</resource>`;

const lookup = `<dblookup>
  <connection><pool><dsName>jdbc/Shop</dsName></pool></connection>
  <statement>
    <sql>select price, born from company where name = ?</sql>
    <parameter expression="json-eval($.name)" type="VARCHAR"/>
    <result name="price" column="price"/>
    <result name="born" column="2"/>
  </statement>
</dblookup>`;

const artifacts: Readonly<Record<string, string>> = {
  'artifacts/api/Shop.xml': `<api ${synapse} name="Shop" context="/shop">
${resource('table', `<dbreport><connection><pool><dsName>jdbc/Shop</dsName></pool></connection><statement><sql>create table company (name varchar(80) primary key, price decimal(10,2), born date)</sql></statement></dbreport>`)}
${resource('add', insert('json-eval($.name)'))}
${resource('find', lookup)}
${resource('undo', `<transaction action="new"/>${insert('json-eval($.name)', ' useTransaction="true"')}<transaction action="rollback"/>`)}
${resource('keep', `<transaction action="new"/>${insert('json-eval($.name)', ' useTransaction="true"')}<transaction action="commit"/>`)}
${resource('store', `<property name="OUT_ONLY" value="true"/><store messageStore="Inbox"/>`)}
</api>`,
  'artifacts/message-stores/Inbox.xml': `<messageStore ${synapse} name="Inbox" class="org.apache.synapse.message.store.impl.jdbc.JDBCMessageStore">
  <parameter name="store.jdbc.dsName">jdbc/Shop</parameter>
</messageStore>`,
  'artifacts/message-processors/P.xml': `<messageProcessor ${synapse} name="P" class="org.apache.synapse.message.processor.impl.sampler.SamplingProcessor" messageStore="Inbox">
  <parameter name="sequence">Taken</parameter>
  <parameter name="interval">50</parameter>
</messageProcessor>`,
  'artifacts/sequences/Taken.xml': `<sequence ${synapse} name="Taken">${insert('json-eval($.name)')}</sequence>`,
};

const peers = [
  ['PostgreSQL', postgresqlMissing, startPostgresql],
  ['MariaDB', mariadbMissing, startMariadb],
] as const;

for (const [name, missing, start] of peers) {
  describe(`database mediators and stores on ${name}`, { skip: missing }, () => {
    let peer: DatabasePeer | undefined;
    let temporary: TemporaryServer | undefined;

    before(async () => {
      configureLog({ level: 'silent', format: 'json' });
      peer = await start();
      const source = `[[datasource]]
id = "Shop"
url = "${peer.url}"
username = "${peer.username}"
password = "${peer.password}"
[datasource.pool_options]
maxActive = 4
`;
      temporary = await startTemporaryServer(artifacts, `${freePorts}${source}`);
      assert.equal((await post('table', '')).status, 200);
    });
    after(async () => {
      await temporary?.[Symbol.asyncDispose]();
      await peer?.[Symbol.asyncDispose]();
      configureLog({ level: 'info', format: 'json' });
    });

    const post = async (path: string, company: string): Promise<{ status: number; text: string }> => {
      const answer = await fetch(`${temporary?.url('API HTTP') ?? ''}/shop/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: company }),
      });
      return { status: answer.status, text: (await answer.text()).replaceAll(/\s+/g, '') };
    };
    const found = '{"price":"12.50","born":"2026-01-31"}';
    const nothing = '{"price":"","born":""}';

    it('write and read, values being values', async () => {
      const hostile = "'); drop table company; --";
      assert.equal((await post('add', hostile)).status, 200);
      assert.deepEqual(await post('find', hostile), { status: 200, text: found });
      assert.deepEqual(await post('find', 'nobody'), { status: 200, text: nothing });
    });

    it('commit and roll back', async () => {
      await post('undo', 'undone');
      await post('keep', 'kept');
      assert.equal((await post('find', 'undone')).text, nothing);
      assert.equal((await post('find', 'kept')).text, found);
    });

    it('keep messages until they are taken', async () => {
      await post('store', 'stored');
      await until('it is found', async () => (await post('find', 'stored')).text === found);
    });
  });
}

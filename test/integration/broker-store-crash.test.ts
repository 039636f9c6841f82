import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../helpers/free-port.ts';
import {
  killAgainAndAgain,
  missingOf,
  startCountingBackEnd,
  startKillable,
  storeAndForward,
} from '../helpers/killed-server.ts';
import { synapse } from '../helpers/managed-server.ts';
import { temporaryFolder } from '../helpers/temporary-files.ts';
import { freePortsWithApi } from '../helpers/temporary-server.ts';
import { activemqMissing, startActivemq, type BrokerPeer } from '../peers/activemq.ts';

const kills = 6;

const storeIn = ({ port, username, password }: BrokerPeer): string =>
  `<messageStore ${synapse} name="Inbox" class="org.apache.synapse.message.store.impl.jms.JmsStore">
  <parameter name="java.naming.factory.initial">org.apache.activemq.jndi.ActiveMQInitialContextFactory</parameter>
  <parameter name="java.naming.provider.url">tcp://127.0.0.1:${port}</parameter>
  <parameter name="store.jms.username">${username}</parameter>
  <parameter name="store.jms.password">${password}</parameter>
  <parameter name="store.jms.cache.connection">true</parameter>
</messageStore>`;

test(
  'no message in a queue is lost when the server that forwards it is killed',
  { timeout: 240_000, skip: activemqMissing },
  async (t) => {
    await using backEnd = await startCountingBackEnd();
    await using broker = await startActivemq();
    const { arrived } = backEnd;
    const port = await freePort();
    const home = temporaryFolder(t, {
      ...storeAndForward(storeIn(broker), backEnd.port),
      'conf/deployment.toml': freePortsWithApi(port),
    });
    const server = { home, port };
    const accepted = await killAgainAndAgain(server, { kills, earliest: 200 });
    const last = await startKillable(server);
    try {
      assert.deepEqual(await missingOf(accepted, (n) => arrived.has(n)), [], last.output());
      const repeated = [...arrived.values()].reduce((sum, times) => sum + times - 1, 0);
      t.diagnostic(`${accepted.size} messages accepted, ${arrived.size} arrived, ${repeated} of them twice`);
      assert.ok(accepted.size > kills);
      // Only the message that was on its way when the server died comes again.
      assert.ok(repeated <= kills, `${repeated} messages came twice`);
    } finally {
      await last.stop();
    }
  },
);

import assert from 'node:assert/strict';
import process from 'node:process';
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

/** How often the server is killed; `MILLRACE_KILLS=50` looks longer. */
const kills = Number(process.env['MILLRACE_KILLS'] ?? 8);

const store = `<messageStore ${synapse} name="Inbox" class="org.apache.synapse.message.store.impl.jdbc.JDBCMessageStore">
  <parameter name="store.jdbc.driver">org.h2.Driver</parameter>
  <parameter name="store.jdbc.connection.url">jdbc:h2:./data/messages</parameter>
  <parameter name="store.jdbc.table">inbox</parameter>
</messageStore>`;

test('no stored message is lost when the server is killed again and again', { timeout: 240_000 }, async (t) => {
  await using backEnd = await startCountingBackEnd();
  const { arrived } = backEnd;
  const port = await freePort();
  const home = temporaryFolder(t, {
    ...storeAndForward(store, backEnd.port),
    'conf/deployment.toml': freePortsWithApi(port),
  });
  const server = { home, port };
  const accepted = await killAgainAndAgain(server, { kills });
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
});

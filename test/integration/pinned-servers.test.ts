import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { after, before, test } from 'node:test';
import { configureLog } from '#core';
import { freePorts, startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';

/** Services by name, with the servers that they are pinned to. */
const pinned: Readonly<Record<string, string>> = {
  Configured: 'other node.example',
  Machine: `other ${hostname()}`,
  Local: 'other localhost',
  Renamed: 'other,renamed',
  Elsewhere: 'other, another',
};

let server: TemporaryServer;

before(async () => {
  configureLog({ level: 'silent', format: 'json' });
  const files = Object.entries(pinned).map(([name, servers]) => [
    `artifacts/proxy-services/${name}.xml`,
    `<proxy xmlns="http://ws.apache.org/ns/synapse" name="${name}" pinnedServers="${servers}"><target><inSequence><respond/></inSequence></target></proxy>`,
  ]);
  const names = '[server]\nhostname = "node.example"\n[system.parameter]\nSynapseServerName = "renamed"\n';
  server = await startTemporaryServer(Object.fromEntries(files) as Record<string, string>, `${freePorts}${names}`);
});

after(async () => {
  await server[Symbol.asyncDispose]();
  configureLog({ level: 'info', format: 'json' });
});

for (const name of Object.keys(pinned)) {
  const isHere = name !== 'Elsewhere';
  test(`a service that is pinned to ${pinned[name] ?? ''} ${isHere ? 'runs' : 'does not run'} here`, async () => {
    const request = { method: 'POST', body: 'hello', headers: { 'Content-Type': 'text/plain' } };
    const answer = await fetch(`${server.url('API HTTP')}/services/${name}`, request);
    const text = await answer.text();
    if (isHere) assert.equal(text, 'hello');
    else assert.match(text, /The service Elsewhere is inactive/);
  });
}

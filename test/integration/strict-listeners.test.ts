import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { configureLog } from '#core';
import { httpVectors } from '../helpers/http-vectors.ts';
import { freePorts, startTemporaryServer } from '../helpers/temporary-server.ts';
import { statusOf } from './http-support.ts';

configureLog({ level: 'silent', format: 'json' });
const server = await startTemporaryServer({}, freePorts);
after(() => server[Symbol.asyncDispose]());

/** Statuses of a path that nobody serves, or that asks who calls: what is behind the listener has decided. */
const decided = [200, 302, 401, 403, 404, 405, 415];
/** Rules about what comes behind a head. */
const bodyRows = new Set(['F9', 'F10']);

/** Everything that comes back on a connection until it is closed. */
function exchange(url: URL, message: string | Uint8Array): Promise<string> {
  const place = { host: url.hostname, port: Number(url.port) };
  const socket = url.protocol === 'https:' ? connectTls({ ...place, rejectUnauthorized: false }) : connect(place);
  let received = '';
  socket.on('error', () => undefined);
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  socket.write(typeof message === 'string' ? Buffer.from(message, 'latin1') : message);
  return new Promise((resolve) => socket.on('close', () => resolve(received)));
}

for (const { name: listener, url } of server.server.addresses) {
  describe(`${listener} takes no request that two readers could read differently`, () => {
    for (const { row, name, message, status } of httpVectors) {
      test(`${row}: ${name}`, async () => {
        const answer = await exchange(new URL(url), message);
        const given = statusOf(answer);
        assert.equal(answer.match(/HTTP\/1\.1 \d/g)?.length, 1, answer.slice(0, 300));
        // A body that nobody wanted need not be read to its fault: one answer and a closed connection are enough.
        if (status === 200 || (bodyRows.has(row) && given !== status))
          assert.ok(decided.includes(given), answer.slice(0, 300));
        else assert.equal(given, status, answer.slice(0, 300));
      });
    }
  });
}

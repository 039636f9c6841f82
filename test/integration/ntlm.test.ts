import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { apiOf, askApi, ports } from '../effects/effect-server.ts';
import { responsesTo } from '../../src/transport/http/ntlm-messages.ts';

const serverNonce = Buffer.from('0123456789abcdef', 'hex');
const seen: string[] = [];
const proven = new WeakSet<Socket>();
let server: Server;
let url = '';

/** A back end that asks by NTLM, once for each connection. */
before(async () => {
  server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const { socket, headers, method = '' } = request;
      const message = Buffer.from((headers.authorization ?? '').replace(/^NTLM /, ''), 'base64');
      const kind = headers.authorization === undefined ? 0 : message.readUInt32LE(8);
      seen.push(`${method} ${kind} ${body}`);
      if (proven.has(socket) || (kind === 3 && isProof(message))) {
        proven.add(socket);
        response.setHeader('Content-Type', 'text/plain');
        return response.end(`hello ${body}`);
      }
      response.statusCode = 401;
      response.setHeader('WWW-Authenticate', kind === 1 ? `NTLM ${challenge().toString('base64')}` : 'NTLM');
      return response.end('who are you?');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function challenge(): Buffer {
  const message = Buffer.alloc(48);
  message.write('NTLMSSP\0', 'latin1');
  message.writeUInt32LE(2, 8);
  message.writeUInt32LE(0xa0088205, 20);
  serverNonce.copy(message, 24);
  return message;
}

function isProof(message: Buffer): boolean {
  const field = (index: number): Buffer => {
    const at = 12 + index * 8;
    const offset = message.readUInt32LE(at + 4);
    return message.subarray(offset, offset + message.readUInt16LE(at));
  };
  const given = field(1);
  const user = field(3).toString('utf16le');
  const domain = field(2).toString('utf16le');
  const moment = { nonce: given.subarray(32, 40), time: given.readBigUInt64LE(24) };
  const { nt } = responsesTo(
    { flags: 0, nonce: serverNonce, targetInfo: Buffer.alloc(0) },
    { user, domain, password: 'pässword', host: '' },
    moment,
  );
  return user === 'ann' && domain === 'CORP' && given.equals(nt);
}

function flow(password: string, blocking = 'true'): ReturnType<typeof apiOf> {
  return apiOf(`<property name="who" value="ann"/>
    <NTLM username="{get-property('who')}" password="${password}" domain="CORP" host="here" ntlmVersion="v2"/>
    <call blocking="${blocking}"><endpoint><address uri="${url}"/></endpoint></call><respond/>`);
}

const post = { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'data' };

test('a blocking call proves by NTLM who makes it, on one connection', async () => {
  seen.length = 0;
  assert.equal(await askApi(ports, flow('pässword'), post), '200 hello data');
  assert.deepEqual(seen, ['POST 0 data', 'POST 1 ', 'POST 3 data']);
});

test('a wrong password gets the refusal of the back end', async () => {
  assert.match(await askApi(ports, flow('wrong'), post), /fault 401002/);
});

test('other calls than blocking ones prove nothing', async () => {
  seen.length = 0;
  assert.equal(await askApi(ports, flow('pässword', 'false'), post), '401 who are you?');
  assert.deepEqual(seen, ['POST 0 data']);
});

import { connect } from 'node:net';
import { messageOf } from '#errors';
import { openSocketClient, startSocketBackEnd, type SocketBackEndOptions } from '../helpers/socket-back-end.ts';
import { profileRows } from './effect-proxy.ts';
import type { EffectRow } from './effect-row.ts';
import { apiOf, askApi, inServer, pair, ports, trust, trustStore, type Files } from './effect-server.ts';
import { comesTrue } from './patience.ts';

const tls = { key: pair.privateKeyPem, cert: pair.certificatePem };
const handshake = {
  Upgrade: 'websocket',
  Connection: 'Upgrade',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version': '13',
};

function flowTo(url: string): Files {
  return apiOf(`<send><endpoint><address uri="${url}"/></endpoint></send>`);
}

/** A sequence that answers each frame with a text. */
function answering(name: string, expression: string): Files {
  return {
    [`artifacts/sequences/${name}.xml`]: `<sequence xmlns="http://ws.apache.org/ns/synapse" name="${name}">
      <payloadFactory media-type="text"><format>$1</format><args><arg expression="${expression}"/></args></payloadFactory>
      <respond/>
    </sequence>`,
  };
}

const sequences: Files = {
  ...answering('first', "'by the first'"),
  ...answering('second', "'by the second'"),
  'artifacts/sequences/failing.xml': `<sequence xmlns="http://ws.apache.org/ns/synapse" name="failing">
    <throwError type="NO" errorMessage="failed"/></sequence>`,
  ...answering('showing', "get-property('axis2','greeting')"),
};

/** What a client hears that says something to an echoing back end through the API at `/t`. */
async function heard(
  text: string,
  files: Files = {},
  options: SocketBackEndOptions = {},
  says = 'hi',
): Promise<string> {
  await using backEnd = await startSocketBackEnd(options);
  return await inServer(text, { ...trustStore, ...files, ...flowTo(backEnd.url) }, async (server) => {
    const url = `${server.url('API HTTP').replace('http', 'ws')}/t`;
    try {
      const { socket, next } = await openSocketClient(url);
      socket.send(says);
      const answer = await next();
      socket.terminate();
      return answer;
    } catch (error) {
      return messageOf(error);
    }
  });
}

function rowsOf(scheme: 'ws' | 'wss'): EffectRow[] {
  const section = `transport.${scheme}`;
  const base = scheme === 'wss' ? trust : ports;
  const on = `${base}[${section}]\nsender.enable = true\n`;
  const options = scheme === 'wss' ? { tls } : {};
  const parameters = `${section}.sender.parameters`;
  const failing = `${on}sender.parameters."ws.outflow.dispatch.sequence" = "failing"\n`;
  const showing = `${on}sender.parameters."ws.outflow.dispatch.sequence" = "showing"\n`;
  const observe: EffectRow['observe'] = (_, text) => heard(text, sequences, options);
  return [
    { key: `${section}.sender.enable`, given: base, first: true, second: false, observe },
    { key: `${parameters}.ws.outflow.dispatch.sequence`, given: on, first: 'first', second: 'second', observe },
    {
      key: `${parameters}.ws.outflow.dispatch.fault.sequence`,
      given: failing,
      first: 'first',
      second: 'second',
      observe,
    },
    { key: `${section}.sender.parameter.greeting`, given: showing, first: 'hello', second: 'goodbye', observe },
  ];
}

const secure = `${trust}[transport.wss]\nsender.enable = true\n`;
const stores = `${ports}[transport.wss]\nsender.enable = true\n`;

/** Starting with a store that cannot be opened fails, and says why. */
const orFailure: EffectRow['observe'] = (_, text) =>
  heard(text, {}, { tls }).catch((error: unknown) => messageOf(error));

/** Nobody listens at the address, so that only a proxy can answer for it. */
const throughProxy: EffectRow['observe'] = (_, text) =>
  askApi(text, { ...trustStore, ...flowTo('wss://localhost:1') }, { headers: handshake });

const plain = `${ports}[transport.ws]\nsender.enable = true\n`;

/** What a client that says nothing gets, with a time in the configuration that is not 0: the first byte of a frame. */
const silence: EffectRow['observe'] = async (_, text) => {
  await using backEnd = await startSocketBackEnd();
  return await inServer(text, flowTo(backEnd.url), async (server) => {
    const socket = connect(Number(new URL(server.url('API HTTP')).port), '127.0.0.1');
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => (received = Buffer.concat([received, chunk])));
    socket.on('error', () => undefined);
    const lines = Object.entries(handshake).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET /t HTTP/1.1\r\nHost: a\r\n${lines.join('')}\r\n`);
    const frame = (): string => {
      const end = received.indexOf('\r\n\r\n');
      return end < 0 ? '' : received.subarray(end + 4, end + 5).toString('hex');
    };
    await comesTrue(() => frame() !== '', !text.endsWith(' = 0\n'), 900);
    socket.destroy();
    return frame();
  });
};

export const rows: readonly EffectRow[] = [
  ...rowsOf('ws'),
  ...rowsOf('wss'),
  {
    key: 'transport.wss.sender.trust_store.location',
    given: `${stores}sender.trust_store.password = "one"\n`,
    first: 'local.p12',
    second: 'missing.p12',
    observe: orFailure,
  },
  {
    key: 'transport.wss.sender.trust_store.password',
    given: `${stores}sender.trust_store.location = "local.p12"\n`,
    first: 'one',
    second: 'two',
    observe: orFailure,
  },
  {
    key: 'transport.wss.sender.parameters.ws.client.enable.hostname.verification',
    given: secure,
    first: true,
    second: false,
    async observe(_, text) {
      await using backEnd = await startSocketBackEnd({ tls, refuses: { status: 403, body: 'seen' } });
      // Another spelling of the same address, which is not in the certificate.
      const url = backEnd.url.replace('localhost', '[::ffff:127.0.0.1]');
      return await askApi(text, { ...trustStore, ...flowTo(url) }, { headers: handshake });
    },
  },
  ...profileRows('transport.wss.proxy_profile', secure, throughProxy),
  {
    key: 'millrace.websocket.max_payload',
    given: plain,
    first: 50,
    second: 500,
    observe: (_, text) => heard(text, {}, {}, 'x'.repeat(100)),
  },
  { key: 'millrace.websocket.ping_interval', given: plain, first: 100, second: 0, observe: silence },
  { key: 'millrace.websocket.idle_timeout', given: plain, first: 200, second: 0, observe: silence },
];

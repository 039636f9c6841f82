import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { configureLog } from '#core';
import { createSelfSigned, writePkcs12 } from '#keystore';
import { openSocketClient, startSocketBackEnd } from '../helpers/socket-back-end.ts';
import { ask, door, echo, namespace, place, senders, sequence, serve, text, urlOf } from '../helpers/socket-door.ts';
import { startTemporaryServer } from '../helpers/temporary-server.ts';

before(() => configureLog({ level: 'silent', format: 'json' }));
after(() => configureLog({ level: 'info', format: 'json' }));

test('httpws serves requests and WebSockets on one port', async () => {
  const answer = `<filter xpath="get-property('websocket.text.frame.present') = true()"><then><respond/></then>
    <else>${text('plain')}<respond/></else></filter>`;
  await using server = await serve(
    door({ protocol: 'httpws', parameters: { hostname: '127.0.0.1', protocolVersion: '1.1' } }),
    sequence('take', answer),
  );
  const plain = await fetch(urlOf(server).replace('ws', 'http'));
  assert.equal(await plain.text(), 'plain');
  const client = await openSocketClient(urlOf(server));
  assert.equal(await client.next(), 'text plain');
  assert.equal(await ask(client, 'frame'), 'text frame');
});

test('httpws leads handshakes that its pattern takes to APIs, whose back ends are joined', async () => {
  await using backEnd = await startSocketBackEnd();
  const api = `<api ${namespace} name="Chat" context="/chat"><resource methods="GET" uri-template="/*"><inSequence>
    <send><endpoint><address uri="${backEnd.url}"/></endpoint></send></inSequence></resource></api>`;
  const parameters = { 'dispatch.filter.pattern': '/chat.*' };
  await using server = await serve(door({ protocol: 'httpws', parameters, attributes: '' }), {
    'artifacts/api/chat.xml': api,
  });
  const client = await openSocketClient(`${urlOf(server)}/chat/x`);
  assert.equal(await ask(client, 'frame'), 'text frame');
});

test('wss shows its own certificate, and asks for those of the authorities that it names', async () => {
  const [own, known] = await Promise.all([
    createSelfSigned({ hostNames: ['localhost'], days: 1 }),
    createSelfSigned({ hostNames: ['client'], days: 1 }),
  ]);
  const storeOf = ({ privateKeyPem, certificatePem }: typeof own): Uint8Array =>
    writePkcs12([{ alias: 'own', privateKeyPem, certificatePems: [certificatePem] }], 'one');
  const parameters = {
    'wss.ssl.key.store.file': 'repository/resources/security/own.p12',
    'wss.ssl.key.store.pass': 'one',
    'wss.ssl.cert.pass': 'one',
    'wss.ssl.trust.store.file': 'repository/resources/security/known.p12',
    'wss.ssl.trust.store.pass': 'one',
    'wss.ssl.protocols': 'TLSv1.2',
  };
  const files = {
    [place]: door({ protocol: 'wss', parameters }),
    ...sequence('take', echo),
    'conf/security/own.p12': storeOf(own),
    'conf/security/known.p12': storeOf(known),
  };
  await using server = await startTemporaryServer(files, senders);
  const url = urlOf(server);
  assert.match(url, /^wss:/);
  const shown = { cert: known.certificatePem, key: known.privateKeyPem };
  const client = await openSocketClient(url, shown);
  const raw = (client.socket as unknown as { _socket: TLSSocket })._socket;
  assert.equal(raw.getProtocol(), 'TLSv1.2');
  assert.equal(raw.getPeerCertificate().subject.CN, 'localhost');
  assert.equal(await ask(client, 'hidden'), 'text hidden');
  await assert.rejects(openSocketClient(url));
});

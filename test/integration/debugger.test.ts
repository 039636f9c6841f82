import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { configureLog } from '#core';
import { freePort } from '../helpers/free-port.ts';
import { freePorts, startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';

configureLog({ level: 'silent', format: 'json' });
after(() => configureLog({ level: 'info', format: 'json' }));

const artifacts = {
  'artifacts/api/Orders.xml': `<api xmlns="http://ws.apache.org/ns/synapse" name="Orders" context="/orders">
  <resource methods="POST" uri-template="/{id}">
    <inSequence>
      <property name="first" value="1"/>
      <filter xpath="get-property('first') = '1'">
        <then><property name="second" value="then"/></then>
        <else><property name="second" value="else"/></else>
      </filter>
      <sequence key="Answer"/>
    </inSequence>
  </resource>
</api>`,
  'artifacts/sequences/Answer.xml': `<sequence xmlns="http://ws.apache.org/ns/synapse" name="Answer">
  <!-- comments do not count -->
  <payloadFactory media-type="text"><format>$1 $2</format><args>
    <arg expression="get-property('first')"/><arg expression="get-property('second')"/>
  </args></payloadFactory>
  <respond/>
</sequence>`,
};

/** One end of a port: sends commands, and gives the lines that come in one after the other. */
interface Line {
  readonly socket: Socket;
  ask(command: object): Promise<Record<string, unknown>>;
  next(): Promise<Record<string, unknown>>;
}

async function lineTo(port: number): Promise<Line> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const lines: AsyncIterator<string> = createInterface({ input: socket })[Symbol.asyncIterator]();
  const next = async (): Promise<Record<string, unknown>> => {
    const { value } = (await lines.next()) as { value: string };
    return JSON.parse(value) as Record<string, unknown>;
  };
  return {
    socket,
    next,
    ask(command) {
      socket.write(`${JSON.stringify(command)}\n`);
      return next();
    },
  };
}

/** A server that is debugged by a client, which uses it. */
async function debugged(
  use: (parts: { server: TemporaryServer; command: Line; event: Line }) => Promise<void>,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const [commandPort, eventPort] = [await freePort(), await freePort()];
  const own = `synapse.command_debugger_port = ${commandPort}\nsynapse.event_debugger_port = ${eventPort}\n`;
  const configuration = `${freePorts.replace('[mediation]\n', `[mediation]\n${own}`)}[system.parameter]\n"esb.debug" = "true"\n`;
  await using server = await startTemporaryServer({ ...artifacts, ...more }, configuration);
  const command = await lineTo(commandPort);
  const event = await lineTo(eventPort);
  await use({ server, command, event });
  command.socket.destroy();
  event.socket.destroy();
}

const post = { method: 'POST', body: 'hello', headers: { 'Content-Type': 'text/plain' } };

/** A point in the in sequence of the API. */
function point(what: string, argument: string, position: string): object {
  const place = { 'sequence-type': 'api_inseq', 'mediator-position': position };
  return {
    command: what,
    'command-argument': argument,
    'mediation-component': 'sequence',
    sequence: { api: { 'api-key': 'Orders', resource: { method: 'POST', 'uri-template': '/{id}' }, ...place } },
  };
}

const done = { 'command-response': 'successful' };

test('a message stops at a breakpoint, is looked at and changed, and goes on', async () => {
  await debugged(async ({ server, command, event }) => {
    assert.deepEqual(await command.ask(point('set', 'breakpoint', '1 1 0')), done);
    const answer = fetch(`${server.url('API HTTP')}/orders/7`, post);
    assert.deepEqual(await event.next(), { event: 'started' });
    assert.deepEqual(await event.next(), {
      event: 'breakpoint',
      'mediation-component': 'sequence',
      sequence: {
        api: {
          'api-key': 'Orders',
          resource: { mapping: '/{id}', method: 'POST' },
          'sequence-type': 'api_inseq',
          'mediator-position': '1 1 0',
        },
      },
    });
    const get = { command: 'get', 'command-argument': 'property', context: 'default' };
    assert.deepEqual(await command.ask({ ...get, property: { 'property-name': 'first' } }), {
      'synapse-properties': { first: '1' },
    });
    const axis2 = await command.ask({ command: 'get', 'command-argument': 'properties', context: 'axis2' });
    const facts = axis2['axis2-properties'] as Record<string, unknown>;
    assert.equal(facts['To'], '/orders/7');
    assert.equal(facts['Direction'], 'request');
    assert.match(String(facts['Envelope']), /hello/);
    const all = await command.ask({ command: 'get', 'command-argument': 'properties', context: 'all' });
    assert.deepEqual(
      (all as unknown as object[]).map((each) => Object.keys(each)),
      [['axis2-properties'], ['synapse-properties']],
    );
    const change = { 'property-name': 'first', 'property-value': 'changed' };
    const set = { command: 'set', 'command-argument': 'property', context: 'synapse', property: change };
    assert.deepEqual(await command.ask(set), done);
    const named = { 'variable-name': 'v', 'variable-value': 'w' };
    assert.deepEqual(await command.ask({ command: 'set', 'command-argument': 'variable', variable: named }), done);
    assert.deepEqual(await command.ask({ command: 'get', 'command-argument': 'variables' }), {
      'message-variables': { v: 'w' },
    });
    assert.deepEqual(await command.ask({ command: 'resume' }), done);
    assert.deepEqual(await event.next(), { event: 'resumed client' });
    assert.equal(await (await answer).text(), 'changed then');
    assert.deepEqual(await event.next(), { event: 'terminated' });
  });
});

test('mediators that are skipped do not run, and a step leads to the next one', async () => {
  await debugged(async ({ server, command, event }) => {
    assert.deepEqual(await command.ask(point('set', 'skip', '1')), done);
    assert.deepEqual(await command.ask(point('set', 'breakpoint', '0')), done);
    const answer = fetch(`${server.url('API HTTP')}/orders/7`, post);
    const seen: unknown[] = [await event.next(), await event.next()];
    assert.deepEqual(await command.ask({ command: 'step' }), done);
    seen.push(await event.next(), await event.next(), await event.next());
    assert.deepEqual(
      seen.map((each) => (each as { event: string }).event),
      ['started', 'breakpoint', 'resumed client', 'skip', 'breakpoint'],
    );
    assert.match(JSON.stringify(seen[4]), /"mediator-position":"2"/);
    assert.deepEqual(await command.ask({ command: 'resume' }), done);
    assert.equal(await (await answer).text(), '1 ');
  });
});

/** A point in a sequence of the inbound endpoint. */
function inboundPoint(what: string, type: string): object {
  const inbound = { 'inbound-key': 'Door', 'sequence-type': type, 'mediator-position': '0' };
  return {
    command: what,
    'command-argument': 'breakpoint',
    'mediation-component': 'sequence',
    sequence: { inbound },
  };
}

test('points in the sequences of an inbound endpoint are named by it, in commands and in events', async () => {
  const door = await freePort();
  await debugged(
    async ({ command, event }) => {
      for (const type of ['INBOUND_SEQ', 'inbound_faultseq']) {
        assert.deepEqual(await command.ask(inboundPoint('set', type)), done);
      }
      const answer = fetch(`http://127.0.0.1:${door}/anything`, post);
      assert.deepEqual(await event.next(), { event: 'started' });
      for (const type of ['inbound_seq', 'inbound_faultseq']) {
        const { sequence } = inboundPoint('set', type) as { sequence: object };
        assert.deepEqual(await event.next(), { event: 'breakpoint', 'mediation-component': 'sequence', sequence });
        assert.deepEqual(await command.ask({ command: 'resume' }), done);
        assert.deepEqual(await event.next(), { event: 'resumed client' });
      }
      assert.equal(await (await answer).text(), 'refused');
      assert.deepEqual(await event.next(), { event: 'terminated' });
      assert.deepEqual(await command.ask(inboundPoint('clear', 'inbound_seq')), done);
      const unknown = await command.ask(inboundPoint('set', 'inbound_outseq'));
      assert.equal(unknown['failed-reason'], 'there is no sequence type inbound_outseq of inbound endpoints');
    },
    {
      'artifacts/inbound-endpoints/Door.xml': `<inboundEndpoint xmlns="http://ws.apache.org/ns/synapse" name="Door" protocol="http" sequence="Refuse" onError="Refused">
  <parameters><parameter name="inbound.http.port">${door}</parameter></parameters>
</inboundEndpoint>`,
      'artifacts/sequences/Refuse.xml': `<sequence xmlns="http://ws.apache.org/ns/synapse" name="Refuse">
  <throwError type="CUSTOM" errorMessage="no"/>
</sequence>`,
      'artifacts/sequences/Refused.xml': `<sequence xmlns="http://ws.apache.org/ns/synapse" name="Refused">
  <payloadFactory media-type="text"><format>refused</format></payloadFactory>
  <respond/>
</sequence>`,
    },
  );
});

test('a deployment is told, and points of before it are still there', async () => {
  await debugged(async ({ server, command, event }) => {
    assert.deepEqual(await command.ask(point('set', 'breakpoint', '0')), done);
    const changed = artifacts['artifacts/sequences/Answer.xml'].replace('$1 $2', 'changed $1 $2');
    server.write('artifacts/sequences/Answer.xml', changed);
    assert.deepEqual(await event.next(), { event: 'configuration updated' });
    const answer = fetch(`${server.url('API HTTP')}/orders/7`, post);
    assert.deepEqual(
      [await event.next(), await event.next()].map((each) => each['event']),
      ['started', 'breakpoint'],
    );
    assert.deepEqual(await command.ask({ command: 'resume' }), done);
    assert.equal(await (await answer).text(), 'changed 1 then');
  });
});

test('one message is suspended at a time, and a client that goes lets everybody go', async () => {
  await debugged(async ({ server, command, event }) => {
    const place = { 'sequence-type': 'named', 'sequence-key': 'Answer', 'mediator-position': '0' };
    const set = {
      command: 'set',
      'command-argument': 'breakpoint',
      'mediation-component': 'sequence',
      sequence: place,
    };
    assert.deepEqual(await command.ask(set), done);
    const answers = [1, 2].map((id) => fetch(`${server.url('API HTTP')}/orders/${id}`, post));
    const events = [await event.next(), await event.next(), await event.next()].map((each) => each['event']);
    assert.equal(events.filter((each) => each === 'breakpoint').length, 1);
    command.socket.destroy();
    for (const answer of answers) assert.equal(await (await answer).text(), '1 then');
  });
});

test('commands that make no sense fail with their reason', async () => {
  await debugged(async ({ command }) => {
    const reasonFor = async (asked: object): Promise<unknown> => {
      const answer = await command.ask(asked);
      assert.equal(answer['command-response'], 'failed');
      return answer['failed-reason'];
    };
    assert.equal(await reasonFor({ command: 'dance' }), 'command not found');
    assert.equal(
      await reasonFor({ command: 'get', 'command-argument': 'properties', context: 'all' }),
      'unable to acquire message context properties',
    );
    assert.equal(await reasonFor({ command: 'resume' }), 'no message is suspended');
    assert.equal(await reasonFor(point('clear', 'breakpoint', '0')), 'the point is not set');
    assert.match(String(await reasonFor(point('set', 'breakpoint', 'x'))), /mediator-position/);
    const unknown = { 'sequence-key': 'Nowhere', 'mediator-position': '0' };
    const set = { command: 'set', 'command-argument': 'skip', 'mediation-component': 'sequence', sequence: unknown };
    assert.equal(await reasonFor(set), 'there is no sequence Nowhere');
    command.socket.write('no json\n');
    assert.equal((await command.next())['command-response'], 'failed');
  });
});

test('without the switch there are no ports', async () => {
  const port = await freePort();
  const own = `synapse.command_debugger_port = ${port}\n`;
  await using _server = await startTemporaryServer({}, freePorts.replace('[mediation]\n', `[mediation]\n${own}`));
  const free = createServer().listen(port, '127.0.0.1');
  await once(free, 'listening');
  free.close();
});

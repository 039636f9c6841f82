import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { buildWorld, createArtifactReader } from '#artifacts';
import { configureLog } from '#core';
import { createEventBus, type BusEvent, type EventBus } from '#events';
import { prepareInProcess } from '../helpers/in-process.ts';

after(() => configureLog({ level: 'info', format: 'json' }));

/** What an API with this flow answers to a body, and what it puts on the bus. */
async function answerOf(
  flow: string,
  body: string,
  topics: readonly string[],
): Promise<{ answer: string; events: BusEvent[] }> {
  const bus: EventBus = createEventBus();
  const events: BusEvent[] = [];
  for (const topic of topics) bus.subscribe(topic, (event) => void events.push(event));
  const { worldSettings, exchangeIn } = prepareInProcess({ scripts: [] });
  const settings = { ...worldSettings, services: { ...worldSettings.services, events: bus } };
  const text = `<api xmlns="http://ws.apache.org/ns/synapse" name="T" context="/t"><resource methods="POST">
    <inSequence>${flow}<respond/></inSequence>
    <faultSequence><payloadFactory media-type="text"><format>fault $1</format><args><arg expression="get-property('ERROR_MESSAGE')"/></args></payloadFactory><respond/></faultSequence>
  </resource></api>`;
  const sources = { files: [{ file: 'api.xml', text }], packed: [], roots: [], definitions: new Map(), problems: [] };
  const { world, problems } = buildWorld(sources, settings, createArtifactReader(settings.kinds));
  assert.deepEqual(problems, []);
  const type = body.startsWith('<') ? 'application/xml' : 'application/json';
  const answer = await exchangeIn(() => world)(`POST /t HTTP/1.1\nContent-Type: ${type}\n\n${body}`, 'http');
  return { answer: answer.slice(answer.indexOf('\n\n') + 2), events };
}

test('<event> hands the body to those who take the topic, and goes on', async () => {
  const { answer, events } = await answerOf('<event topic="news"/>', '<a>1</a>', ['news', 'other']);
  assert.equal(answer, '<a>1</a>');
  assert.equal(events.length, 1);
  assert.deepEqual(events[0]?.content, { contentType: 'application/xml', text: '<a>1</a>' });
  assert.match(String(events[0]?.attributes.get('messageId')), /^urn:uuid:/);
});

test('<event> finds topic and content in the message; nobody need listen', async () => {
  const flow = `<property name="t" value="dynamic"/><event topic="{get-property('t')}" expression="//b"/>`;
  const { events } = await answerOf(flow, '<a><b>2</b></a>', ['dynamic']);
  assert.deepEqual(
    events.map(({ topic, content }) => [topic, content]),
    [['dynamic', { contentType: 'application/xml', text: '<b>2</b>' }]],
  );
  const json = await answerOf('<event topic="x"/>', '{"a":1}', ['x']);
  assert.deepEqual(json.events[0]?.content, { contentType: 'application/json', text: '{"a":1}' });
  const path = await answerOf('<event topic="x" expression="json-eval($.a)"/>', '{"a":"text"}', ['x']);
  assert.deepEqual(path.events[0]?.content, { contentType: 'text/plain', text: 'text' });
  assert.equal((await answerOf('<event topic="x"/>', '{"a":1}', [])).answer, '{"a":1}');
});

test('<eventPublisher> fails where nobody subscribed to the source', async () => {
  const flow = '<eventPublisher eventSourceName="Stocks"/>';
  const taken = await answerOf(flow, '<a/>', ['eventSource:Stocks']);
  assert.equal(taken.events.length, 1);
  assert.equal((await answerOf(flow, '<a/>', [])).answer, 'fault Event source "Stocks" not found');
});

function publishing(attributes: string): string {
  return `<publishEvent><streamName>orders</streamName><streamVersion>1.0.0</streamVersion><eventSink>sink</eventSink><attributes>${attributes}</attributes></publishEvent>`;
}

test('<publishEvent> sends typed attributes to the stream', async () => {
  const flow =
    publishing(`<meta><attribute name="host" value="h"/></meta><correlation><attribute name="id" type="LONG" value="7"/></correlation>
    <payload><attribute name="n" type="INTEGER" expression="//n"/><attribute name="d" type="DOUBLE" expression="//d" defaultValue="1.5"/>
    <attribute name="b" type="BOOLEAN" expression="//b"/><attribute name="s" type="STRING" expression="//none"/><attribute name="x" type="FLOAT" expression="//none"/></payload>
    <arbitrary><attribute name="z" value="free"/></arbitrary>`);
  const { answer, events } = await answerOf(flow, '<a><n>42</n><b>TRUE</b></a>', ['orders:1.0.0']);
  assert.match(answer, /^<a>/);
  assert.deepEqual(Object.fromEntries(events[0]?.attributes ?? []), {
    meta_host: 'h',
    correlation_id: 7,
    n: 42,
    d: 1.5,
    b: true,
    s: '',
    x: null,
    arbitrary_z: 'free',
  });
});

test('<publishEvent> fails for a value of another type and for a sink that nobody is', async () => {
  const flow = publishing('<payload><attribute name="n" type="INTEGER" expression="//n"/></payload>');
  const wrong = await answerOf(flow, '<a><n>x</n></a>', ['orders:1.0.0']);
  assert.equal(wrong.answer, 'fault The attribute "n" of an event must be of the type INTEGER, found "x"');
  assert.equal((await answerOf(flow, '<a><n>1</n></a>', [])).answer, 'fault Event sink "sink" not found');
});

test('<publishEvent> that is not async waits until its event is taken, and fails where that fails', async () => {
  const flow = publishing('<payload/>').replace('<publishEvent>', '<publishEvent async="false" timeout="5000">');
  const taken = await answerOf(flow, '<a/>', ['orders:1.0.0']);
  assert.match(taken.answer, /^<a\s*\/>/);
  assert.equal(taken.events.length, 1);
  assert.equal((await answerOf(flow, '<a/>', [])).answer, 'fault Event sink "sink" not found');
});

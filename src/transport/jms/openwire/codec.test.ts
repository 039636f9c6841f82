import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import type { JmsBody, JmsValue } from '../message.ts';
import { decodeMessage, encodeBody, encodeDestination } from './bodies.ts';
import {
  decodeCommand,
  encodeCommand,
  exceptionField,
  numberField,
  objectField,
  textField,
  type Command,
} from './codec.ts';
import { commandTypes, type CommandName } from './commands.ts';
import { decodeModifiedUtf8, encodeModifiedUtf8 } from './modified-utf8.ts';
import { decodeMap, decodeStream, encodeMap, encodeStream } from './primitives.ts';
import { agreeOn, offerWireFormat } from './wire-format.ts';

/** Frames that the Java client of ActiveMQ 5.17 wrote in loose encoding, version 10, without their length. */
const recorded = {
  text:
    '1c0000000901017b01000449443a63000000000000000300000000000000020164010001510000016e00017b01000449443a63' +
    '0000000000000003000000000000000200000000000000040000000000000000000000000000010004636f72720100000000' +
    '00000000040165010001540000018bcfe56800010002747901000000160000001268c3a46c6c6f20e282aceda0bdedb880c0' +
    '80010000003000000005000162010100017309000178000164073ff8000000000000000169050000000700016c0600000001' +
    '2a05f20000000000000000000000000000000000000000000000000000000000000000000000000000',
  map:
    '1900000000000000000000000000000000000000000000000000000000000000000000000000010000001c000000030001790a' +
    '000000010900016b0900017600016e05000000030000000000000000000000000000000000000000000000000000000000000000000000000000',
  consumer:
    '050000000000017a01000449443a630000000000000001000000000000000100016401000151000000010000000000010005' +
    '613d276227000000000000000000000000',
  ack:
    '16000000000001640100015100017a01000449443a63000000000000000100000000000000010400016e00017b0100044944' +
    '3a6300000000000000030000000000000002000000000000000400000000000000000000000100',
  exception: '1f0000000000000000050101001b6a6176612e6c616e672e5365637572697479457863657074696f6e0100026e6f',
} as const;

const read = (name: keyof typeof recorded): Command => decodeCommand(Buffer.from(recorded[name], 'hex'));

test('a text message of the Java client is read with headers, properties and characters of every size', () => {
  const message = decodeMessage(read('text'), 0);
  assert.deepEqual(message.body, { kind: 'text', text: 'hällo €😀\0' });
  assert.deepEqual(
    message.properties,
    new Map<string, JmsValue>([
      ['b', true],
      ['s', 'x'],
      ['d', 1.5],
      ['i', 7],
      ['l', 5_000_000_000n],
    ]),
  );
  assert.equal(message.id, 'ID:c:2:3:4');
  assert.equal(message.correlationId, 'corr');
  assert.equal(message.type, 'ty');
  assert.deepEqual(message.replyTo, { kind: 'topic', name: 'T' });
  assert.equal(message.priority, 4);
  assert.equal(message.isPersistent, true);
  assert.equal(message.timestamp, 1_700_000_000_000);
});

test('what is read from the Java client is written the same', () => {
  for (const name of ['text', 'map', 'consumer', 'ack', 'exception'] as const) {
    assert.equal(encodeCommand(read(name)).toString('hex'), recorded[name], name);
  }
});

test('a map message, a selector, an acknowledgement and an exception are read', () => {
  assert.deepEqual(decodeMessage(read('map'), 2).body, {
    kind: 'map',
    entries: new Map<string, JmsValue>([
      ['y', Buffer.from([9])],
      ['k', 'v'],
      ['n', 3],
    ]),
  });
  assert.equal(textField(read('consumer'), 'selector'), "a='b'");
  assert.equal(numberField(read('ack'), 'ackType'), 4);
  assert.deepEqual(exceptionField(read('exception')), { className: 'java.lang.SecurityException', message: 'no' });
});

test('every body is read as it was written', () => {
  const bodies: JmsBody[] = [
    { kind: 'none' },
    { kind: 'text', text: '' },
    { kind: 'text', text: 'x'.repeat(70_000) },
    { kind: 'bytes', bytes: Buffer.from([0, 255]) },
    { kind: 'object', bytes: Buffer.from([0xac, 0xed]) },
    { kind: 'map', entries: new Map<string, JmsValue>([['long', 'y'.repeat(70_000)]]) },
    { kind: 'stream', items: [null, 1, -1, 1.25, 2n ** 40n, 'x', false, Buffer.from([1])] },
  ];
  for (const body of bodies) {
    const { name, content } = encodeBody(body);
    const command = decodeCommand(encodeCommand({ name, fields: { content } }));
    assert.deepEqual(decodeMessage(command, 0).body, body);
  }
});

test('compressed bodies are unfolded', () => {
  const { content = Buffer.alloc(0) } = encodeBody({ kind: 'text', text: 'folded' });
  const text: Command = { name: 'TextMessage', fields: { content: deflateSync(content), compressed: true } };
  assert.deepEqual(decodeMessage(text, 0).body, { kind: 'text', text: 'folded' });
  const folded = Buffer.concat([Buffer.from([0, 0, 0, 3]), deflateSync(Buffer.from('abc'))]);
  const bytes: Command = { name: 'BytesMessage', fields: { content: folded, compressed: true } };
  assert.deepEqual(decodeMessage(bytes, 0).body, { kind: 'bytes', bytes: Buffer.from('abc') });
});

test('every command of the table is read as it was written, empty and with nested structures', () => {
  for (const name of Object.keys(commandTypes) as CommandName[]) {
    const empty = decodeCommand(encodeCommand({ name, fields: {} }));
    assert.equal(empty.name, name);
    assert.deepEqual(encodeCommand(empty), encodeCommand({ name, fields: {} }));
  }
  const dispatch = decodeCommand(
    encodeCommand({
      name: 'MessageDispatch',
      fields: { destination: encodeDestination({ kind: 'queue', name: 'Q' }), message: read('text') },
    }),
  );
  assert.equal(textField(objectField(dispatch, 'destination')!, 'physicalName'), 'Q');
  assert.equal(objectField(dispatch, 'message')?.name, 'TextMessage');
});

test('maps, streams and texts of any content survive', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.integer(),
    fc
      .maxSafeInteger()
      .filter((each) => each !== (each | 0))
      .map(BigInt),
    fc.double({ noNaN: true }).filter((each) => !Number.isInteger(each)),
    fc.boolean(),
    fc.constant(null),
  );
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(fc.string(), value), { selector: ([name]) => name }), (entries) => {
      assert.deepEqual(decodeMap(encodeMap(new Map<string, JmsValue>(entries))), new Map(entries));
      const items = entries.map(([, item]) => item);
      assert.deepEqual(decodeStream(encodeStream(items)), items);
    }),
    { numRuns: 30 },
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) =>
      assert.equal(decodeModifiedUtf8(encodeModifiedUtf8(text)), text),
    ),
  );
  assert.equal(encodeModifiedUtf8('\0😀').toString('hex'), 'c080eda0bdedb880');
  // Clients in other languages write the standard form.
  assert.equal(decodeModifiedUtf8(Buffer.from('í😀')), 'í😀');
});

test('what is damaged is refused and never read past its end', () => {
  const bytes = Buffer.from(recorded.text, 'hex');
  for (let length = 0; length < bytes.length; length++) {
    assert.throws(() => decodeCommand(bytes.subarray(0, length)), RangeError, `${length} bytes`);
  }
  assert.throws(() => decodeCommand(Buffer.from([99])), /no command of type 99/);
  assert.throws(() => decodeMap(Buffer.from([0, 0, 0, 1, 0, 1, 0x61, 12])), /a value of type 12/);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (random) => {
      try {
        decodeCommand(random);
      } catch (error) {
        assert.ok(error instanceof RangeError || error instanceof TypeError, String(error));
      }
    }),
  );
});

test('both sides agree on the shorter silence; older versions are refused', () => {
  const theirs = decodeCommand(encodeCommand(offerWireFormat(5000)));
  assert.deepEqual(agreeOn(30_000, theirs), { version: 10, maxInactivity: 5000 });
  assert.throws(() => agreeOn(30_000, { name: 'WireFormatInfo', fields: { version: 9 } }), /version 9 of OpenWire/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeBody, encodeBody } from './charset.ts';
import { PayloadError } from './payload-error.ts';

const decodings: readonly (readonly [what: string, bytes: Uint8Array, contentType: string, expected: string])[] = [
  ['UTF-8 when nothing is said', Buffer.from('ä'), 'text/plain', 'ä'],
  ['the declared charset', Buffer.from('ä', 'latin1'), 'text/plain; charset=ISO-8859-1', 'ä'],
  ['a quoted charset in capitals', Buffer.from('ä', 'latin1'), 'text/plain; CHARSET="iso-8859-1"', 'ä'],
  ['UTF-8 with its mark', Buffer.from('\ufeffä'), 'text/plain', 'ä'],
  ['UTF-16LE by its mark', Buffer.from('\ufeffä', 'utf16le'), 'text/plain', 'ä'],
  ['UTF-16BE by its mark', Buffer.from('\ufeffä', 'utf16le').swap16(), 'text/plain; charset=UTF-16', 'ä'],
  ['letters that look like a mark', Buffer.from([0xef, 0xbb, 0xbf]), 'text/plain; charset=ISO-8859-1', 'ï»¿'],
];
for (const [what, bytes, contentType, expected] of decodings) {
  test(`text is decoded: ${what}`, () => assert.equal(decodeBody(bytes, contentType), expected));
}

test('text is encoded in the charset asked for, with ? for what it lacks', () => {
  assert.deepEqual(encodeBody('€', 'ISO-8859-1', false), { body: Buffer.from('?'), charset: 'ISO-8859-1' });
});

test('a charset that was carried over gives way when it lacks a character', () => {
  assert.deepEqual(encodeBody('ä', 'ISO-8859-1', true).charset, 'ISO-8859-1');
  assert.deepEqual(encodeBody('€', 'ISO-8859-1', true), { body: Buffer.from('€'), charset: 'UTF-8' });
});

test('an unknown charset is error 601000 that names it', () => {
  assert.throws(
    () => encodeBody('x', 'klingon', false),
    (error) => error instanceof PayloadError && error.code === 601_000 && error.message.includes('klingon'),
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedTrailers, announcedTrailers, completeTrailers, fieldsByName } from './trailers.ts';

test('fields that decide about a message are not taken from behind its body', () => {
  const fields = ['grpc-status', '0', 'CONTENT-LENGTH', '3', 'Proxy-Foo', 'x', 'X-Sum', '1', 'Sec-Fetch-Mode', 'cors'];
  assert.deepEqual(allowedTrailers(fields), ['grpc-status', '0', 'X-Sum', '1']);
});

test('an announcement names allowed fields alone', () => {
  assert.equal(announcedTrailers(' X-Sum ,, Host,grpc-status').announced, 'X-Sum, grpc-status');
  assert.deepEqual(announcedTrailers(undefined), { announced: '', fields: [] });
});

test('an announcement stays with the fields that came', () => {
  const trailers = completeTrailers(announcedTrailers('X-Sum'), ['X-Sum', '1', 'Host', 'a']);
  assert.deepEqual(trailers, { announced: 'X-Sum', fields: ['X-Sum', '1'] });
});

test('fields of one name keep their order', () => {
  assert.deepEqual(fieldsByName(['X-A', '1', 'x-b', '2', 'x-a', '3']), { 'x-a': ['1', '3'], 'x-b': ['2'] });
});

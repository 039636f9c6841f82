import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as check, constantFrom, oneof, property, tuple } from 'fast-check';
import { isValidAuthority, readTarget } from './request-target.ts';

test('a target that is accepted is the target that came', () => {
  for (const raw of ['/', '/a//b;c=d/%2F', '/..a/.b/c..', '/a?b=../c', '/%20?%25', '/a%2fb%2Fc', '/...']) {
    assert.deepEqual(readTarget(raw, 'GET'), { target: raw });
  }
});

test('dot segments are refused however dots and separators are spelled', () => {
  const dot = constantFrom('.', '%2e', '%2E');
  const separator = constantFrom('/', '%2f', '%2F', '%5c');
  const segment = oneof(
    dot,
    tuple(dot, dot).map(([one, two]) => one + two),
  );
  const end = oneof(separator, constantFrom('', ';a', '?x'));
  check(
    property(separator, segment, end, (before, dots, after) => {
      assert.equal('status' in readTarget(`/a${before}${dots}${after}`, 'GET'), true);
    }),
  );
});

test('the asterisk is a target of OPTIONS only', () => {
  assert.deepEqual(readTarget('*', 'OPTIONS'), { target: '*' });
  assert.equal('status' in readTarget('*', 'GET'), true);
});

test('an absolute target is taken apart into authority and path', () => {
  assert.deepEqual(readTarget('HTTP://a.b:80/c?d', 'GET'), { target: '/c?d', authority: 'a.b:80' });
  assert.deepEqual(readTarget('https://a', 'GET'), { target: '/', authority: 'a' });
  for (const raw of ['ftp://a/', 'a:80', 'http:///x', 'http://u@a/', 'http://a/../b', '']) {
    assert.equal('status' in readTarget(raw, 'GET'), true, raw);
  }
});

test('an authority is one host with at most one port', () => {
  for (const valid of ['a', 'a-b_c.d:80', '127.0.0.1', '[::1]:443']) assert.equal(isValidAuthority(valid), true, valid);
  for (const invalid of ['', 'a b', 'a/b', 'u@a', 'a,b', 'a:80:80', 'a:x', '[::1', 'a:123456']) {
    assert.equal(isValidAuthority(invalid), false, invalid);
  }
});

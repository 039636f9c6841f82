import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAllowedReply } from './reply-address.ts';

const allowed = ['https://partner.example/replies', 'http://10.0.0.1:8080/'];

const rows: readonly (readonly [address: string, isAllowed: boolean])[] = [
  ['https://partner.example/replies', true],
  ['https://partner.example/replies/1?a=b', true],
  ['https://PARTNER.example:443/replies/1', true],
  ['http://10.0.0.1:8080/anything', true],
  ['https://partner.example/replies2', false],
  ['https://partner.example/replies/../admin', false],
  ['https://partner.example/', false],
  ['http://partner.example/replies', false],
  ['https://partner.example:8443/replies', false],
  ['https://partner.example.evil/replies', false],
  ['https://user:pass@partner.example/replies', false],
  ['http://10.0.0.1/replies', false],
  ['file:///replies', false],
  ['nonsense', false],
];

for (const [address, isAllowed] of rows) {
  test(`answers may ${isAllowed ? '' : 'not '}go to ${address}`, () => {
    assert.equal(isAllowedReply(address, allowed), isAllowed);
  });
}

test('nothing is allowed where nothing is configured', () => {
  assert.equal(isAllowedReply('https://partner.example/replies', []), false);
  assert.equal(isAllowedReply('data:text/plain,a', ['data:text/plain,a']), false);
});

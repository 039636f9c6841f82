import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { readServerIdentity } from './server-identity.ts';

test('a server tells its configured name, else that of the machine, and an address', () => {
  const identity = readServerIdentity('esb.example.org');
  assert.equal(identity.get('SERVER_HOST'), 'esb.example.org');
  assert.notEqual(isIP(identity.get('SERVER_IP') ?? ''), 0);
  assert.equal(readServerIdentity(undefined).get('SERVER_HOST'), hostname());
});

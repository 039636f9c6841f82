import assert from 'node:assert/strict';
import { test } from 'node:test';
import { md4 } from './md4.ts';
import { authenticateMessage, negotiateMessage, readChallenge, responsesTo } from './ntlm-messages.ts';

test('digests are those of RFC 1320', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['', '31d6cfe0d16ae931b73c59d7e0c089c0'],
    ['a', 'bde52cb31de33e46245e05fbdbd6fb24'],
    ['abc', 'a448017aaf21d8525fc10ae87aa6729d'],
    ['message digest', 'd9130a8164549fe818874806e1c7014b'],
    ['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', '043f8582f241db351ce627e153e7f0e4'],
    [
      '12345678901234567890123456789012345678901234567890123456789012345678901234567890',
      'e33b4ddc9c38f2199c3e7b164fcc0536',
    ],
  ];
  for (const [text, digest] of rows) assert.equal(md4(Buffer.from(text)).toString('hex'), digest);
});

const credentials = { user: 'User', password: 'Password', domain: 'Domain', host: 'COMPUTER' };
const targetInfo = Buffer.from('02000c0044006f006d00610069006e0001000c0053006500720076006500720000000000', 'hex');
const challenge = { flags: 0xe28a8233, nonce: Buffer.from('0123456789abcdef', 'hex'), targetInfo };
const moment = { nonce: Buffer.alloc(8, 0xaa), time: 0n };

test('responses are those of the example in MS-NLMP 4.2.4', () => {
  const { nt, lm } = responsesTo(challenge, credentials, moment);
  assert.equal(nt.subarray(0, 16).toString('hex'), '68cd0ab851e51c96aabc927bebef6a1c');
  assert.equal(lm.toString('hex'), '86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa');
});

test('the time of the far end takes the place of ours, and leaves the older response empty', () => {
  const stamped = Buffer.from('07000800010000000000000000000000', 'hex');
  const { nt, lm } = responsesTo({ ...challenge, targetInfo: stamped }, credentials, moment);
  assert.equal(nt.readBigUInt64LE(24), 1n);
  assert.ok(lm.equals(Buffer.alloc(24)));
});

test('messages name their fields by place and length', () => {
  assert.equal(negotiateMessage().toString('latin1', 0, 8), 'NTLMSSP\0');
  const message = authenticateMessage(credentials, challenge, moment);
  const field = (index: number): string => {
    const at = 12 + index * 8;
    const offset = message.readUInt32LE(at + 4);
    return message.subarray(offset, offset + message.readUInt16LE(at)).toString('utf16le');
  };
  assert.deepEqual([field(2), field(3), field(4)], ['Domain', 'User', 'COMPUTER']);
});

test('what is no challenge is refused', () => {
  for (const text of ['', 'NTLMSSP\0', 'x'.repeat(60)]) {
    assert.throws(() => readChallenge(Buffer.from(text)), /no NTLM challenge/);
  }
  const short = Buffer.alloc(48);
  short.write('NTLMSSP\0');
  short.writeUInt32LE(2, 8);
  short.writeUInt16LE(100, 40);
  assert.throws(() => readChallenge(short), /ends before/);
});

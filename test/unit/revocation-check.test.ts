import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Integer } from 'asn1js';
import { GeneralName, IssuingDistributionPoint } from 'pkijs';
import { systemClock } from '#core';
import { createRevocationCheck, type RevocationCheckOptions, type RevocationRequest } from '#keystore';
import { createHandClock } from '../helpers/hand-clock.ts';
import {
  answerOcsp,
  issue,
  makeList,
  type AnswerWishes,
  type CertificateWishes,
  type Holder,
  type ListWishes,
} from '../helpers/test-authority.ts';

const responder = 'http://ocsp.test/';
const list = 'http://crl.test/a.crl';
const ocspSigning = '1.3.6.1.5.5.7.3.9';

const root = await issue({ name: 'root', isAuthority: true });
const stranger = await issue({ name: 'root', isAuthority: true });
const client = await issue({ name: 'client', issuer: root, responder, list });
const other = await issue({ name: 'other', issuer: root, responder, list });
const delegate = await issue({ name: 'delegate', issuer: root, purposes: [ocspSigning] });
const impostor = await issue({ name: 'impostor', issuer: root, purposes: ['1.3.6.1.5.5.7.3.2'] });
const strangersDelegate = await issue({ name: 'delegate', issuer: stranger, purposes: [ocspSigning] });
const oldDelegate = await issue({ name: 'delegate', issuer: root, purposes: [ocspSigning], days: -1 });

type Fetch = RevocationCheckOptions['fetch'];
const options = { clock: systemClock, cacheSize: 50, cleanUpTime: 900_000, wholeChain: true, checksDates: false };

/** Answers from here, and what was asked. */
function answers(
  ocsp: Partial<AnswerWishes> | undefined,
  revocations?: Partial<ListWishes>,
): { fetch: Fetch; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async fetch({ url, content }: RevocationRequest) {
      asked.push(url);
      if (content && ocsp) return answerOcsp(content.bytes, { issuer: root, ...ocsp });
      if (!content && revocations) return makeList({ issuer: root, ...revocations });
      throw new Error('there is no answer');
    },
  };
}

/** `good`, or the code of the refusal. */
async function outcome(
  { fetch }: { fetch: Fetch },
  chain: readonly Holder[] = [client],
  changes: Partial<RevocationCheckOptions> & { trusted?: readonly Holder[] } = {},
): Promise<string> {
  const { trusted = [root], ...rest } = changes;
  using check = createRevocationCheck({ ...options, fetch, ...rest });
  try {
    await check.check({ chain: chain.map(({ x509 }) => x509), trusted: trusted.map(({ x509 }) => x509) });
    return 'good';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

const unknown = 'MR_TLS_REVOCATION_UNKNOWN';
const rows: readonly [name: string, Partial<AnswerWishes>, expected: string][] = [
  ['good', {}, 'good'],
  ['revoked', { status: 'revoked' }, 'MR_TLS_REVOKED'],
  ['unknown to the server', { status: 'unknown' }, unknown],
  ['from yesterday', { nextUpdate: -3_600_000 }, unknown],
  ['from tomorrow', { thisUpdate: 86_400_000, nextUpdate: 90_000_000 }, unknown],
  ['without an end', { nextUpdate: null }, 'good'],
  ['old, without an end', { thisUpdate: -7_200_000, nextUpdate: null }, unknown],
  ['without a nonce', { nonce: 'omit' }, 'good'],
  ['with the nonce of another question', { nonce: 'other' }, unknown],
  ['about another certificate', { about: other }, unknown],
  ['signed with SHA-1', { hash: 'SHA-1' }, unknown],
  ['signed by a stranger of the same name', { signer: stranger }, unknown],
  ['signed by that stranger, who is sent along', { signer: stranger, embeds: [stranger] }, unknown],
  ['signed by an authorized responder', { signer: delegate, embeds: [delegate] }, 'good'],
  ['signed by an authorized responder that is not sent along', { signer: delegate }, unknown],
  [
    'signed by the responder of a stranger',
    { signer: strangersDelegate, embeds: [strangersDelegate, stranger] },
    unknown,
  ],
  ['signed by a responder whose time is over', { signer: oldDelegate, embeds: [oldDelegate] }, unknown],
  ['signed by somebody else with a certificate', { signer: impostor, embeds: [impostor] }, unknown],
];
for (const [name, wishes, expected] of rows) {
  test(`an answer of an OCSP server that is ${name}`, async () => {
    assert.equal(await outcome(answers(wishes)), expected);
  });
}

const scope = (url: string): IssuingDistributionPoint =>
  new IssuingDistributionPoint({ distributionPoint: [new GeneralName({ type: 6, value: url })] });
const lists: readonly [name: string, Partial<ListWishes>, expected: string][] = [
  ['without the certificate', { revoked: [other] }, 'good'],
  ['that is empty', {}, 'good'],
  ['with the certificate', { revoked: [other, client] }, 'MR_TLS_REVOKED'],
  ['whose time is over', { nextUpdate: -3_600_000 }, unknown],
  ['of a stranger', { signer: stranger }, unknown],
  ['of its own place', { scope: scope(list) }, 'good'],
  ['of another place', { scope: scope('http://crl.test/b.crl') }, unknown],
  ['of authorities only', { scope: new IssuingDistributionPoint({ onlyContainsCACerts: true }) }, unknown],
  ['of users only', { scope: new IssuingDistributionPoint({ onlyContainsUserCerts: true }) }, 'good'],
  ['of several issuers', { scope: new IssuingDistributionPoint({ indirectCRL: true }) }, unknown],
  ['of changes', { criticalExtension: '2.5.29.27' }, unknown],
];
for (const [name, wishes, expected] of lists) {
  test(`a list ${name}, when the OCSP server is silent`, async () => {
    const served = answers(undefined, wishes);
    assert.equal(await outcome(served), expected);
    assert.deepEqual(served.asked, [responder, list]);
  });
}

test('a list is not asked when the OCSP server says that a certificate was revoked', async () => {
  const served = answers({ status: 'revoked' }, {});
  assert.equal(await outcome(served), 'MR_TLS_REVOKED');
  assert.deepEqual(served.asked, [responder]);
});

test('what is no answer at all is none', async () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from('<html>'), Buffer.from('30030a0106', 'hex')]) {
    assert.equal(await outcome({ fetch: () => Promise.resolve(bytes) }), unknown);
  }
});

test('certificates without addresses, or with those of other schemes, are refused without a question', async () => {
  const places: Partial<CertificateWishes>[] = [{}, { responder: 'https://ocsp.test/', list: 'ldap://crl.test/a' }];
  for (const wishes of places) {
    const holder = await issue({ name: 'silent', issuer: root, ...wishes });
    const served = answers({}, {});
    assert.equal(await outcome(served, [holder]), unknown);
    assert.deepEqual(served.asked, []);
  }
});

test('nobody is asked about a certificate that no trusted authority has issued', async () => {
  const served = answers({}, {});
  const forged = await issue({ name: 'client', issuer: stranger, responder });
  assert.equal(await outcome(served, [forged, stranger]), 'MR_TLS_UNTRUSTED');
  assert.deepEqual(served.asked, []);
});

test('authorities between client and trusted one are checked, too, unless only the last certificate counts', async () => {
  const middle = await issue({ name: 'middle', issuer: root, isAuthority: true, responder: 'http://middle.test/' });
  const leaf = await issue({ name: 'leaf', issuer: middle, responder });
  const fetch: Fetch = ({ url, content }) =>
    url === responder
      ? answerOcsp(content?.bytes ?? Buffer.of(), { issuer: middle })
      : answerOcsp(content?.bytes ?? Buffer.of(), { issuer: root, status: 'revoked' });
  assert.equal(await outcome({ fetch }, [leaf, middle]), 'MR_TLS_REVOKED');
  assert.equal(await outcome({ fetch }, [leaf, middle], { wholeChain: false }), 'good');
  // An authority that is trusted by itself is where the path ends.
  assert.equal(await outcome({ fetch }, [leaf, middle], { trusted: [middle] }), 'good');
});

test('dates count when they are to', async () => {
  const expired = await issue({ name: 'expired', issuer: root, responder, days: -1 });
  assert.equal(await outcome(answers({}), [expired]), 'good');
  assert.equal(await outcome(answers({}), [expired], { checksDates: true }), 'MR_TLS_CERTIFICATE_DATE');
  assert.equal(await outcome(answers({}), [client], { checksDates: true }), 'good');
});

test('an answer is asked for once until it ends, also by several at the same time', async () => {
  const clock = createHandClock();
  const served = answers({ nextUpdate: 3_600_000 });
  using check = createRevocationCheck({ ...options, clock, fetch: served.fetch });
  const shown = { chain: [client.x509], trusted: [root.x509] };
  await Promise.all([check.check(shown), check.check(shown), check.check(shown)]);
  await check.check(shown);
  assert.equal(served.asked.length, 1);
  clock.move(3_500_000);
  await check.check(shown);
  assert.equal(served.asked.length, 1);
  clock.move(800_000);
  await assert.rejects(check.check(shown), { code: unknown });
  assert.equal(served.asked.length, 3);
});

test('no more is kept than there is room for, and what has ended is dropped at the clean-up', async () => {
  const clock = createHandClock();
  const served = answers({ nextUpdate: 3_600_000 });
  using check = createRevocationCheck({ ...options, clock, fetch: served.fetch, cacheSize: 1 });
  const trusted = [root.x509];
  for (const { x509 } of [client, other, client]) await check.check({ chain: [x509], trusted });
  assert.equal(served.asked.length, 3);
  assert.equal(check.kept, 1);
  clock.move(1_800_000);
  assert.equal(check.kept, 1);
  clock.move(3_600_000);
  assert.equal(check.kept, 0);
});

test('a list is fetched once for all certificates that it is about', async () => {
  const served = answers(undefined, { revoked: [other] });
  using check = createRevocationCheck({ ...options, fetch: served.fetch });
  const trusted = [root.x509];
  await check.check({ chain: [client.x509], trusted });
  await assert.rejects(check.check({ chain: [other.x509], trusted }), { code: 'MR_TLS_REVOKED' });
  assert.equal(served.asked.filter((url) => url === list).length, 1);
});

test('a list of many is read, and one whose entries say more than is understood is not', async () => {
  const many = Array.from({ length: 20_000 }, (_, index) => ({
    certificate: { serialNumber: new Integer({ value: 1_000_000 + index }) },
  })) as unknown as Holder[];
  assert.equal(await outcome(answers(undefined, { revoked: many })), 'good');
  assert.equal(await outcome(answers(undefined, { revoked: [...many, client] })), 'MR_TLS_REVOKED');
  assert.equal(await outcome(answers(undefined, { revoked: [other], entryExtension: '2.5.29.29' })), unknown);
  assert.equal(await outcome(answers(undefined, { revoked: [other], entryExtension: '2.5.29.21' })), 'good');
});

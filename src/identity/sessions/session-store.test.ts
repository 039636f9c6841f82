import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestIdentity } from '../test-identity.ts';
import { sweepSessions } from './sweep.ts';

const minute = 60_000;

test('a session lives 15 minutes after its last use, a remembered one 14 days', async () => {
  await using server = await startTestIdentity();
  const { sessions } = server.identity;
  const user = server.users.add({ name: 'ada', password: 'x' });
  for (const [isRemembered, life] of [
    [false, 15 * minute],
    [true, 14 * 24 * 60 * minute],
  ] as const) {
    const { secret } = await sessions.begin(user, { isRemembered, methods: ['pwd'] });
    server.clock.advance(life - 1);
    assert.ok(await sessions.find(secret), 'one more use');
    server.clock.advance(life - 1);
    assert.ok(await sessions.find(secret), 'which counts from then on');
    server.clock.advance(life);
    assert.equal(await sessions.find(secret), undefined);
  }
});

test('signing in again carries a session on under another cookie', async () => {
  await using server = await startTestIdentity();
  const { sessions } = server.identity;
  const user = server.users.add({ name: 'ada', password: 'x' });
  const first = await sessions.begin(user, { isRemembered: false, methods: ['pwd'] });
  await sessions.addClient(first.session, 'web');
  const continues = await sessions.find(first.secret);
  assert.ok(continues);
  const second = await sessions.begin(user, { isRemembered: false, methods: ['pwd'], continues });
  assert.equal(await sessions.find(first.secret), undefined);
  const found = await sessions.find(second.secret);
  assert.deepEqual([found?.id, found?.clients], [first.session.id, ['web']]);
});

test('sessions end with their user, by name, and for whoever may not sign in', async () => {
  await using server = await startTestIdentity();
  const { sessions } = server.identity;
  const user = server.users.add({ name: 'ada', password: 'x' });
  const begin = async (): Promise<string> =>
    (await sessions.begin(user, { isRemembered: false, methods: ['pwd'] })).secret;
  const [one, two] = [await begin(), await begin()];
  await sessions.endAll(user);
  assert.deepEqual([await sessions.find(one), await sessions.find(two)], [undefined, undefined]);
  const three = await begin();
  server.users.block(user);
  assert.equal(await sessions.find(three), undefined);
});

test('the sweep removes what ended, and leaves what lives', async () => {
  await using server = await startTestIdentity();
  const { sessions } = server.identity;
  const user = server.users.add({ name: 'ada', password: 'x' });
  const { session } = await sessions.begin(user, { isRemembered: false, methods: ['pwd'] });
  await sessions.addClient(session, 'web');
  server.clock.advance(20 * minute);
  const living = await sessions.begin(user, { isRemembered: false, methods: ['pwd'] });
  server.clock.advance(10 * minute);
  assert.equal(await sweepSessions(server.database, server.clock), 2);
  assert.ok(await sessions.find(living.secret));
});

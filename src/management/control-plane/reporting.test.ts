import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { configureLog, createTestClock, type TestClock } from '#core';
import { startReporting, type ReportingParts } from './reporting.ts';
import { createControlPlaneTokens, type ControlPlaneTokenSettings } from './token.ts';

configureLog({ level: 'silent', format: 'json' });

const settings: ControlPlaneTokenSettings = {
  secret: 'key-1.0123456789abcdef0123456789abcdef',
  issuer: 'us',
  audience: 'them',
  scope: 'runtime_agent',
  lifetime: 3_600_000,
  skew: 60_000,
};

interface Posted {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

type Reply = (posted: Posted) => { readonly status: number; readonly body?: unknown };

const acknowledged: Reply = () => ({ status: 200, body: { acknowledged: true } });

interface Stage {
  readonly clock: TestClock;
  readonly posted: Posted[];
  readonly calls: unknown[];
  reply: Reply;
  hash: string;
  /** Lets time pass, and what was promised happen. */
  pass(milliseconds: number): Promise<void>;
}

function stage(use: (stage: Stage) => Promise<void>): () => Promise<void> {
  return async () => {
    const clock = createTestClock();
    const self: Stage = {
      clock,
      posted: [],
      calls: [],
      reply: acknowledged,
      hash: 'one',
      async pass(milliseconds) {
        clock.advance(milliseconds);
        for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
      },
    };
    const parts: ReportingParts = {
      url: 'https://plane.example/',
      runtimeId: 'r-1',
      interval: 10_000,
      tokens: createControlPlaneTokens(settings, clock),
      clock,
      describe: async () => ({ hash: self.hash, fields: { runtimeId: 'r-1', runtimeHash: self.hash, artifacts: {} } }),
      async transport(url, body) {
        const posted = { path: new URL(url).pathname, body: JSON.parse(body) as Record<string, unknown> };
        self.posted.push(posted);
        const { status, body: answer } = self.reply(posted);
        return { status, text: answer === undefined ? '' : JSON.stringify(answer) };
      },
      async manage(call) {
        self.calls.push(call);
        return { status: 200, body: '{"count":0}' };
      },
    };
    using _ = startReporting(parts);
    await use(self);
  };
}

const pathsOf = ({ posted }: Stage): string[] => posted.splice(0).map(({ path }) => path.replace('/icp/', ''));

describe('reports to a control plane', () => {
  it(
    'are a hash, and everything when it asks for that',
    stage(async (self) => {
      self.reply = ({ path }) => ({
        status: 200,
        body: { acknowledged: true, fullHeartbeatRequired: path.endsWith('deltaHeartbeat') },
      });
      await self.pass(4999);
      assert.equal(self.posted.length, 0);
      await self.pass(1);
      const [delta, full] = self.posted;
      assert.deepEqual(delta?.body, {
        heartbeatVersion: 'v1.0',
        runtimeId: 'r-1',
        runtimeHash: 'one',
        timestamp: [Math.floor(self.clock.now() / 1000), 0],
      });
      assert.deepEqual([full?.path, full?.body['runtimeHash']], ['/icp/heartbeat', 'one']);
      assert.deepEqual(pathsOf(self), ['deltaHeartbeat', 'heartbeat']);
      self.reply = acknowledged;
      await self.pass(10_000);
      assert.deepEqual(pathsOf(self), ['deltaHeartbeat']);
    }),
  );

  it(
    'begin again with everything at a control plane that has forgotten',
    stage(async (self) => {
      await self.pass(5000);
      self.reply = ({ path }) => ({
        status: 200,
        body: {
          acknowledged: !path.endsWith('deltaHeartbeat'),
          fullHeartbeatRequired: path.endsWith('deltaHeartbeat'),
        },
      });
      pathsOf(self);
      await self.pass(10_000);
      assert.deepEqual(pathsOf(self), ['deltaHeartbeat', 'heartbeat']);
    }),
  );

  it(
    'come more and more seldom while it is away, and as before when it is back',
    stage(async (self) => {
      self.reply = () => {
        throw new Error('nobody there');
      };
      const at: number[] = [];
      const began = self.clock.now();
      for (let turn = 0; turn < 1200; turn++) {
        await self.pass(1000);
        if (pathsOf(self).length > 0) at.push((self.clock.now() - began) / 1000);
      }
      assert.deepEqual(at, [5, 15, 35, 75, 155, 315, 615, 915]);
      self.reply = acknowledged;
      await self.pass(300_000);
      pathsOf(self);
      await self.pass(10_000);
      assert.deepEqual(pathsOf(self), ['deltaHeartbeat']);
    }),
  );

  it(
    'end when this runtime does not fit where its key belongs',
    stage(async (self) => {
      self.reply = () => ({ status: 409, body: { message: 'another environment' } });
      await self.pass(5000);
      await self.pass(600_000);
      assert.deepEqual(pathsOf(self), ['deltaHeartbeat']);
    }),
  );

  it(
    'run what it asks for once, within the management API only, and say what came of it',
    stage(async (self) => {
      const call = (commandId: string, path: string, more: object = {}): object => ({
        commandId,
        action: 'MI_MGMT',
        params: { method: 'GET', path },
        ...more,
      });
      self.reply = ({ path }) => ({
        status: path.endsWith('commandResult') ? 202 : 200,
        body: path.endsWith('commandResult')
          ? undefined
          : {
              acknowledged: true,
              nextHeartbeatInSeconds: 1,
              unknownField: [],
              commands: [
                call('c1', '/management/apis?searchKey=a'),
                call('c1', '/management/apis'),
                call('c2', '/management/../conf'),
                call('c3', '/management/%2e%2e/x'),
                call('c4', '/other'),
                call('c5', '/management/apis', { deadline: 1 }),
                { commandId: 'c6', action: 'START' },
              ],
            },
      });
      await self.pass(5000);
      assert.deepEqual(self.calls, [{ method: 'GET', path: '/management/apis?searchKey=a', body: undefined }]);
      const results = self.posted.filter(({ path }) => path.endsWith('commandResult')).map(({ body }) => body);
      assert.deepEqual(
        results.map(({ commandId, status, httpStatus }) => [commandId, status, httpStatus]),
        [
          ['c1', 'COMPLETED', 200],
          ['c2', 'FAILED', 403],
          ['c3', 'FAILED', 403],
          ['c4', 'FAILED', 403],
          ['c5', 'FAILED', 408],
          ['c6', 'FAILED', 501],
        ],
      );
      assert.equal(results[0]?.['body'], '{"count":0}');
      self.posted.length = 0;
      await self.pass(1000);
      assert.deepEqual(pathsOf(self), ['deltaHeartbeat']);
    }),
  );
});

describe('tokens of a control plane', () => {
  const token = (
    claims: object,
    header: object = { alg: 'HS256' },
    key = '0123456789abcdef0123456789abcdef',
  ): string => {
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${encode(header)}.${encode(claims)}`;
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  };

  it('are made with the material of the key, and renewed in time', () => {
    const clock = createTestClock();
    const tokens = createControlPlaneTokens(settings, clock);
    const first = tokens.current();
    const [header = '', claims = ''] = first.split('.').map((part) => Buffer.from(part, 'base64url').toString());
    assert.deepEqual(JSON.parse(header), { alg: 'HS256', typ: 'JWT', kid: 'key-1' });
    const iat = Math.floor(clock.now() / 1000);
    assert.deepEqual(JSON.parse(claims), { iss: 'us', aud: 'them', iat, exp: iat + 3600, scope: 'runtime_agent' });
    clock.advance(54 * 60_000);
    assert.equal(tokens.current(), first);
    clock.advance(60_000);
    assert.notEqual(tokens.current(), first);
    assert.equal(tokens.callerOf(tokens.current()), 'us');
    const plain = createControlPlaneTokens({ ...settings, secret: 'no-key-id' }, clock).current();
    assert.equal(
      (JSON.parse(Buffer.from(plain.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid,
      '',
    );
  });

  it('are taken from it while they are good, and from nobody else', () => {
    const clock = createTestClock();
    const tokens = createControlPlaneTokens(settings, clock);
    const callerOf = (text: string): string | undefined => tokens.callerOf(text);
    const exp = clock.now() / 1000 + 10;
    assert.equal(callerOf(token({ sub: 'ann', exp })), 'ann');
    assert.equal(callerOf(token({ exp })), 'icp-service');
    assert.equal(callerOf(token({ sub: 'ann', exp }, { alg: 'HS256' }, 'another')), undefined);
    assert.equal(callerOf(token({ sub: 'ann', exp }, { alg: 'none' })), undefined);
    assert.equal(callerOf(token({ sub: 'ann' })), undefined);
    assert.equal(callerOf('a.b'), undefined);
    assert.equal(callerOf(''), undefined);
    assert.equal(callerOf(token({ sub: 'ann', exp, nbf: exp + 100 })), undefined);
    clock.advance(69_000);
    assert.equal(callerOf(token({ sub: 'ann', exp })), 'ann');
    clock.advance(2000);
    assert.equal(callerOf(token({ sub: 'ann', exp })), undefined);
  });
});

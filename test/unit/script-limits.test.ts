import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '#core';
import { padded } from '../../src/mediation/script/engine.ts';
import { createScriptPool } from '../../src/mediation/script/pool.ts';
import { defaultScriptSettings, type ScriptSettings } from '../../src/mediation/script/settings.ts';
import { testHost } from '../helpers/script-host.ts';

const position = { file: 'a.xml', line: 1, column: 1 };

/** Runs an inline script once for each message, on one pool; the outcomes as text. */
async function runs(t: TestContext, code: string, settings: Partial<ScriptSettings> = {}): Promise<string> {
  const traits = { file: 'a.xml', inline: padded({ text: code, position }), functionName: '', parsesJsonText: false };
  const pool = createScriptPool({ sources: [], traits }, { ...defaultScriptSettings, ...settings }, systemClock);
  t.after(() => pool.dispose());
  try {
    const { failure, value } = await pool.run(testHost('{"a":1}'), []);
    return failure ? failure.text : JSON.stringify(value);
  } catch (error) {
    return (error as Error).message;
  }
}

const short = { timeout: 100 };
const small = { memory: 16, timeout: 20_000 };
const tooLong = 'it ran longer than 100 ms ([millrace] script.timeout)';
const tooMuch = 'it used more than 16 MB of memory ([millrace] script.memory)';

const stopped: Readonly<
  Record<string, readonly [code: string, settings: Partial<ScriptSettings>, outcome: string | RegExp]>
> = {
  'an endless loop': ['for (;;);', short, tooLong],
  'an endless loop that catches everything': [
    'for (;;) { try { for (;;); } catch (e) {} finally { continue; } }',
    short,
    tooLong,
  ],
  'an endless loop of calls to the message': ['for (;;) mc.getProperty(String(Math.random()))', short, tooLong],
  'a regular expression that backtracks': ['/^(a+)+$/.test("a".repeat(40) + "b")', short, tooLong],
  'an endless getter of a result': ['({ toJSON() { for (;;); } })', short, tooLong],
  'an endless text of an error': ['throw { toString() { for (;;); } }', short, tooLong],
  'objects without end': ['var a = []; for (;;) a.push({ a: [a.length] });', small, tooMuch],
  'texts without end': ['var a = []; for (;;) a.push("xy".repeat(1e6).split("").join("z"));', small, tooMuch],
  'properties without end': ['for (var i = 0; ; i++) mc.setProperty("p" + i, "v".repeat(1000) + i);', small, tooMuch],
  'log lines without end': ['for (;;) print("x".repeat(1000) + Math.random());', small, tooMuch],
  'a huge text': ['"x".repeat(2 ** 30)', small, /Invalid string length/],
  'a huge buffer': ['new ArrayBuffer(2 ** 30)', small, /allocation failed/],
  'calls without end': ['function f() { f(); } f();', small, /Maximum call stack/],
  'deep JSON': ['JSON.parse("[".repeat(1e6))', small, /Maximum call stack|end of JSON|memory|stack/i],
};

for (const [what, [code, settings, outcome]] of Object.entries(stopped)) {
  test(`${what}: the script is stopped, and the process goes on`, async (t) => {
    const found = await runs(t, code, settings);
    if (typeof outcome === 'string') assert.equal(found, outcome);
    else assert.match(found, outcome);
  });
}

test('the loop of the process goes on while a script runs', async (t) => {
  let isRunning = true;
  const run = runs(t, 'for (;;);', short).finally(() => (isRunning = false));
  let turns = 0;
  for (; isRunning; turns++) await setImmediate();
  assert.ok(turns > 10, `${turns} turns of the loop while the script ran`);
  assert.equal(await run, tooLong);
});

test('an isolate that was stopped is not used again, and its place is free', async (t) => {
  const traits = {
    file: 'a.xml',
    inline: 'if (mc.getProperty("p")) for (;;); 7',
    functionName: '',
    parsesJsonText: false,
  };
  const settings = { ...defaultScriptSettings, timeout: 1000, poolSize: 1 };
  const pool = createScriptPool({ sources: [], traits }, settings, systemClock);
  t.after(() => pool.dispose());
  const bad = testHost('{}');
  bad.message.properties.set('p', true);
  const outcomes = await Promise.allSettled([pool.run(bad, []), pool.run(testHost('{}'), []), pool.run(bad, [])]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'fulfilled', 'rejected'],
  );
  assert.equal((await pool.run(testHost('{}'), [])).value, 7);
});

test('what a run asked is answered in advance for the next one', async (t) => {
  const traits = {
    file: 'a.xml',
    inline: 'mc.getProperty("p") + mc.getProperty("q")',
    functionName: '',
    parsesJsonText: false,
  };
  const pool = createScriptPool({ sources: [], traits }, defaultScriptSettings, systemClock);
  t.after(() => pool.dispose());
  for (const [p, q] of [
    ['1', '2'],
    ['3', '4'],
    ['5', '6'],
  ]) {
    const host = testHost('{}');
    host.message.properties.set('p', p);
    host.message.properties.set('q', q);
    const output = await pool.run(host, []);
    assert.deepEqual([output.value, output.asked.length], [`${p}${q}`, 2]);
  }
});

test('messages of one script do not see each other, though many run at once', async (t) => {
  const inline = 'mc.setPayloadJSON({ n: mc.getPayloadJSON().n, p: mc.getProperty("p") }); mc.getProperty("p")';
  const traits = { file: 'a.xml', inline, functionName: '', parsesJsonText: false };
  const pool = createScriptPool({ sources: [], traits }, { ...defaultScriptSettings, poolSize: 3 }, systemClock);
  t.after(() => pool.dispose());
  const hosts = Array.from({ length: 60 }, (_, n) => {
    const host = testHost(`{"n":${n}}`);
    host.message.properties.set('p', `p${n}`);
    return host;
  });
  const values = await Promise.all(hosts.map(async (host) => (await pool.run(host, [])).value));
  assert.deepEqual(
    values,
    hosts.map((_, n) => `p${n}`),
  );
  assert.deepEqual(
    hosts.map(({ message }) => message.jsonText()),
    hosts.map((_, n) => `{"n":${n},"p":"p${n}"}`),
  );
});

test('a closed pool gives up its isolates', async (t) => {
  const traits = { file: 'a.xml', inline: '1', functionName: '', parsesJsonText: false };
  const pool = createScriptPool({ sources: [], traits }, defaultScriptSettings, systemClock);
  t.after(() => pool.dispose());
  await pool.run(testHost('{}'), []);
  pool.dispose();
  assert.equal((await pool.run(testHost('{}'), [])).value, 1, 'a message of the old world still finishes');
});

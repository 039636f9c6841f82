import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverageReport } from './coverage.ts';
import { loadConfig } from './load.ts';
import { maskUrls } from './mask.ts';

const text = `
[server]
offset = 3
[super_admin]
password = "abc"
[[apim.gateway.environment]]
name = "A"
ws_endpoint = "$env{WS}"
https_endpoint = "https://u:abc@h/"
[user_store]
type = "database"`;
const { config } = loadConfig({ text, file: 'f.toml', env: { WS: 'ws://h' } });

test('the effective configuration has written, inferred and default values, secrets masked', () => {
  const values = new Map(config.effective().map((item) => [item.path, item]));
  assert.equal(values.get('server.offset')?.value, 3);
  assert.equal(values.get('server.mode')?.source.kind, 'default');
  assert.equal(values.get('user_store.properties.ReadOnly')?.source.kind, 'inferred');
  assert.equal(values.get('super_admin.password')?.value, '********');
  assert.equal(values.get('apim.gateway.environment[0].https_endpoint')?.value, 'https://u:********@h/');
  assert.doesNotMatch(JSON.stringify([...values.values()]), /abc/);
});

test('what the file sets can be shown alone', () => {
  assert.deepEqual(
    config.written().map(({ path }) => path),
    [
      'server.offset',
      'super_admin.password',
      'user_store.type',
      'apim.gateway.environment[0].name',
      'apim.gateway.environment[0].ws_endpoint',
      'apim.gateway.environment[0].https_endpoint',
    ],
  );
});

test('a key is explained with its value, where it came from and what it means', () => {
  const explanation = config.explain('apim.gateway.environment[0].ws_endpoint');
  assert.deepEqual(explanation?.values, [{ value: 'ws://h', source: 'f.toml:8:15 (from environment WS)' }]);
  assert.equal(config.explain('server.enable_mtom')?.path, 'server.enableMTOM');
  assert.equal(config.explain('server.enable_mtom')?.spelling, 'server.enable_mtom');
  assert.deepEqual(config.explain('server.mode')?.values, [{ value: 'single', source: 'default' }]);
  assert.deepEqual(config.explain('user_store.properties.ReadOnly')?.values, [
    { value: false, source: 'inferred from user_store.type' },
  ]);
  assert.equal(config.explain('server.nothing'), undefined);
});

test('changes are named with what they need', () => {
  const changed = loadConfig({
    text: text
      .replace('offset = 3', 'offset = 4')
      .replace('name = "A"', 'name = "B"')
      .concat('\n[truststore]\npassword = "x"'),
    env: { WS: 'ws://h' },
  }).config;
  assert.deepEqual(config.changesTo(changed), [
    { path: 'apim.gateway.environment[0].name', reload: false },
    { path: 'server.offset', reload: false },
    { path: 'truststore.password', reload: true },
  ]);
  assert.deepEqual(config.changesTo(config), []);
});

test('credentials in URLs are masked', () => {
  assert.equal(maskUrls('amqp://u:p@h:5672/x?password=p&y=1'), 'amqp://u:********@h:5672/x?password=********&y=1');
  assert.equal(
    maskUrls('jdbc:sqlserver://h:1;user=u;password=p;x=1'),
    'jdbc:sqlserver://h:1;user=u;password=********;x=1',
  );
  assert.equal(maskUrls('https://h:8080/a@b'), 'https://h:8080/a@b');
});

test('every key is counted once', () => {
  const { all, sections } = coverageReport();
  assert.equal(all.honoured + all.inert + all.pending, all.total);
  assert.equal(
    sections.reduce((sum, { total }) => sum + total, 0),
    all.total,
  );
});

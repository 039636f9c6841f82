import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apimCacheGatewayToken, apimThrottling, passthruHttp, server } from './index.ts';
import { loadConfig } from './load.ts';

const load = (text: string, env: Record<string, string> = {}) =>
  loadConfig({ text, file: 'deployment.toml', env, systemProperties: { 'app.name': 'mill' } });

test('a written value is read as the type of its key', () => {
  const { config, problems } = load('[server]\noffset = "3"\nhostname = "gw.example"');
  assert.deepEqual(problems, []);
  assert.equal(config.get(server.offset), 3);
  assert.equal(config.get(server.hostname), 'gw.example');
  assert.equal(config.has(server.mode), false);
  assert.equal(config.get(server.mode), 'single');
});

test('durations are converted to the unit of their key', () => {
  const { config } = load('[apim.cache.gateway_token]\nexpiry_time = "20m"');
  assert.equal(config.get(apimCacheGatewayToken.expiryTime), 1200);
  assert.equal(config.milliseconds(apimCacheGatewayToken.expiryTime), 1_200_000);
});

test('quoted and unquoted dotted names are the same key', () => {
  for (const text of ["'http.socket.timeout' = '1m'", 'http.socket.timeout = 60000']) {
    assert.equal(load(`[passthru_http]\n${text}`).config.get(passthruHttp.httpSocketTimeout), 60_000);
  }
});

test('a default that refers to another key follows it', () => {
  const { config } = load('[super_admin]\nusername = "root"');
  assert.equal(config.get(apimThrottling.username), 'root');
});

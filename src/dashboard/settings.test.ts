import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig, usableConfig } from '#config';
import { readDashboardSettings, type DashboardSettings } from './settings.ts';

const sso = `[sso]
enable = true
client_id = "console"
jwt_issuer = "https://idp.example"
base_url = "https://idp.example"
`;

function read(text: string, offset?: number): DashboardSettings {
  const config = usableConfig(loadConfig({ text, catalog: 'dashboard', env: {}, systemProperties: {} }));
  return readDashboardSettings(config, offset);
}

const addressesOf = ({ sso: settings }: DashboardSettings): unknown =>
  settings && [settings.redirectUrl, settings.signedOutUrl, ...settings.origins];

test('an offset is added to the port, and to the addresses that the file does not write', () => {
  assert.equal(read('').port, 9743);
  assert.equal(read('', 7).port, 9750);
  assert.equal(read('[server_config]\nport = 0\n', 7).port, 0);
  assert.deepEqual(addressesOf(read(sso)), [
    'https://localhost:9743/sso',
    'https://localhost:9743',
    'https://localhost:9743',
  ]);
  assert.deepEqual(addressesOf(read(`[server_config]\nport = 9800\n${sso}`, 7)), [
    'https://localhost:9807/sso',
    'https://localhost:9807',
    'https://localhost:9807',
  ]);
});

test('addresses that the file writes stay as they are', () => {
  const written = `${sso}sign_in_redirect_URL = "https://a.example:9743/sso"
sign_out_redirect_URL = "https://b.example:9743"
resource_server_URLs = ["https://c.example:9743"]
`;
  assert.deepEqual(addressesOf(read(written, 7)), [
    'https://a.example:9743/sso',
    'https://b.example:9743',
    'https://c.example:9743',
  ]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newClient } from './client-store.ts';
import { superTenant } from '../tenants/tenant.ts';
import { chooseRedirectUri } from './authorize-redirect-uri.ts';

const site = 'https://client.example.com/cb';

const rows: readonly (readonly [registered: readonly string[], given: string | undefined, expected: string])[] = [
  [[site], site, 'taken'],
  [[site, 'https://other.example/cb'], 'https://other.example/cb', 'taken'],
  [[site], undefined, 'taken'],
  [[site, 'https://other.example/cb'], undefined, 'ambiguous'],
  [['regexp=https://a\\.example/.*'], undefined, 'ambiguous'],
  [[], site, 'unregistered'],
  [[site], `${site}/`, 'mismatch'],
  [[site], `${site}?a=b`, 'mismatch'],
  [[site], 'https://CLIENT.example.com/cb', 'mismatch'],
  [[site], 'http://client.example.com/cb', 'mismatch'],
  [[site], 'https://client.example.com:444/cb', 'mismatch'],
  [[site], '//client.example.com/cb', 'mismatch'],
  [[site], 'https:client.example.com/cb', 'mismatch'],
  [[site], '/\\client.example.com/cb', 'mismatch'],
  [[site], 'https://client.example.com.evil.com/cb', 'mismatch'],
  [[site], 'https://evil.com/https://client.example.com/cb', 'mismatch'],
  [[site], 'https://client.example.com@evil.com/cb', 'mismatch'],
  [[site], 'https://client.example.com/cb/../x', 'mismatch'],
  [[site], 'https://client.example%2ecom/cb', 'mismatch'],
  [[site], `${site}#x`, 'mismatch'],
  [[site], 'javascript:alert(1)', 'mismatch'],
  [['regexp=https://(a|b)\\.example/cb'], 'https://b.example/cb', 'taken'],
  [['regexp=https://(a|b)\\.example/cb'], 'https://b.example/cb/more', 'mismatch'],
  [['regexp=https://(a|b)\\.example/cb'], 'x https://b.example/cb', 'mismatch'],
  [['regexp=(https://a.example/1|https://a.example/2)'], 'https://a.example/2', 'taken'],
  [['regexp=.*'], 'javascript:alert(1)', 'mismatch'],
  [['regexp=.*'], 'data:text/html,x', 'mismatch'],
  [['regexp=.*'], 'https://user:password@evil.com/', 'mismatch'],
  [['regexp=.*'], 'https://evil.com\\@client.example.com/', 'mismatch'],
  [['regexp=.*'], 'https:evil.com', 'mismatch'],
  [['regexp=.*'], 'https://a.example/\r\nSet-Cookie: x=y', 'mismatch'],
  [['http://127.0.0.1/cb'], 'http://127.0.0.1:52100/cb', 'taken'],
  [['http://127.0.0.1:8080/cb'], 'http://127.0.0.1:52100/cb', 'taken'],
  [['http://[::1]/cb'], 'http://[::1]:52100/cb', 'taken'],
  [['http://127.0.0.1/cb'], 'http://127.0.0.1:52100/other', 'mismatch'],
  [['http://127.0.0.1/cb'], 'http://127.0.0.1:52100@evil.com/cb', 'mismatch'],
  [['http://127.0.0.1/cb'], 'http://127.0.0.1.evil.com:80/cb', 'mismatch'],
  [['http://127.0.0.1/cb'], 'http://[::1]:52100/cb', 'mismatch'],
  [['http://127.0.0.1/cb'], 'https://127.0.0.1:52100/cb', 'mismatch'],
  [['http://localhost:8080/cb'], 'http://localhost:8081/cb', 'mismatch'],
  [['com.example.app:/cb'], 'com.example.app:/cb', 'taken'],
];

test('I8: an address of a request is taken when it is registered (RFC 6749 3.1.2.3, RFC 8252 7.3)', async (context) => {
  for (const [redirectUris, given, expected] of rows) {
    await context.test(`${redirectUris.join(' ')} – ${JSON.stringify(given)}: ${expected}`, () => {
      const client = newClient({ id: 'a', tenant: superTenant, name: 'a', owner: 'o', redirectUris });
      const choice = chooseRedirectUri(client, given);
      assert.equal(choice.failure ?? 'taken', expected);
      if (expected === 'taken') assert.equal(choice.uri, given ?? redirectUris[0]);
    });
  }
});

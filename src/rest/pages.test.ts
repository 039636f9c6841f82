import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readCookie, serializeCookie } from './cookies.ts';
import { createCsrf } from './csrf.ts';
import { html } from './html.ts';
import { pageResponse } from './pages.ts';
import { createStaticFiles } from './static-files.ts';

describe('pages', () => {
  it('escape what is put into a template, but not templates', () => {
    const items = ['<a>', '"b"'].map((item) => html`<li title="${item}">${item}</li>`);
    const page = html`<ul>
      ${items}
    </ul>`;
    assert.equal(
      page.toString().replaceAll(/\n\s*/g, ''),
      '<ul><li title="&lt;a&gt;">&lt;a&gt;</li><li title="&quot;b&quot;">&quot;b&quot;</li></ul>',
    );
    assert.equal(html`${undefined}${null}${false}${0}`.toString(), '0');
  });

  it('allow nothing inline and no frames', async () => {
    const response = pageResponse(html`<p>x</p>`, { formTargets: ['https://client.example'] });
    const policy = response.headers.get('Content-Security-Policy') ?? '';
    assert.ok(!policy.includes('unsafe-inline'));
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /form-action 'self' https:\/\/client.example;/);
    assert.equal(response.headers.get('X-Content-Type-Options'), 'nosniff');
    assert.equal(await response.text(), '<!doctype html>\n<p>x</p>');
  });
});

describe('cookies', () => {
  it('are secure, hidden from scripts and same-site unless told otherwise', () => {
    assert.equal(serializeCookie('s', 'v'), 's=v; Path=/; SameSite=Lax; Secure; HttpOnly');
    assert.equal(
      serializeCookie('s', '', { path: '/x', maxAge: 0, sameSite: 'Strict', insecure: true, readable: true }),
      's=; Path=/x; Max-Age=0; SameSite=Strict',
    );
    for (const value of ['a;b', 'a b', 'a\r\nb', 'ä', '"', ',']) {
      assert.throws(() => serializeCookie('s', value), { code: 'MR_COOKIE' }, value);
    }
  });

  it('are read by their whole name', () => {
    const request = new Request('http://h', { headers: { Cookie: 'xs=1; s=2=3; s=4' } });
    assert.deepEqual([readCookie(request, 's'), readCookie(request, 'x')], ['2=3', undefined]);
  });
});

describe('csrf tokens', () => {
  const csrf = createCsrf(Buffer.alloc(32, 1));
  const requestWith = (token: string): Request =>
    new Request('http://h', { headers: { Cookie: `__Host-csrf=${token}` } });

  it('are accepted for their session only', () => {
    const { token, cookie } = csrf.issue('session-1');
    assert.match(cookie, /^__Host-csrf=[^;]+; Path=\/; SameSite=Strict; Secure; HttpOnly$/);
    assert.equal(csrf.verify(requestWith(token), token, 'session-1'), true);
    assert.equal(csrf.verify(requestWith(token), token, 'session-2'), false);
  });

  it('are refused when missing, different or not ours', () => {
    const { token } = csrf.issue('s');
    const planted = 'bm9uY2U.c2lnbmF0dXJl';
    assert.equal(csrf.verify(new Request('http://h'), token, 's'), false);
    assert.equal(csrf.verify(requestWith(token), null, 's'), false);
    assert.equal(csrf.verify(requestWith(token), csrf.issue('s').token, 's'), false);
    assert.equal(csrf.verify(requestWith(planted), planted, 's'), false);
  });
});

describe('static files', () => {
  const root = mkdtempSync(join(tmpdir(), 'millrace-static-'));
  after(() => rmSync(root, { recursive: true, force: true }));
  const files = join(root, 'files');
  mkdirSync(join(files, 'sub'), { recursive: true });
  writeFileSync(join(root, 'secret.txt'), 'secret');
  writeFileSync(join(files, 'app.js'), 'let x;');
  writeFileSync(join(files, 'app.js.br'), 'compressed');
  writeFileSync(join(files, 'empty.css'), '');
  writeFileSync(join(files, '.hidden'), 'x');
  symlinkSync(join(root, 'secret.txt'), join(files, 'leak.txt'));
  const serve = createStaticFiles(files, { prefix: '/assets' });
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response | undefined> =>
    serve(new Request(`http://h${path}`, { method, headers }));

  it('carry type, length and ETag, and are not sent again when they are known', async () => {
    const response = await get('/assets/app.js');
    assert.equal(await response?.text(), 'let x;');
    assert.equal(response?.headers.get('Content-Type'), 'text/javascript; charset=utf-8');
    assert.equal(response?.headers.get('Content-Length'), '6');
    const etag = response?.headers.get('ETag') ?? '';
    assert.equal((await get('/assets/app.js', { 'If-None-Match': `"x", W/${etag}` }))?.status, 304);
    assert.equal(await (await get('/assets/app.js', {}, 'HEAD'))?.text(), '');
    assert.equal(await (await get('/assets/empty.css'))?.text(), '');
  });

  it('are sent compressed to who takes that', async () => {
    const response = await get('/assets/app.js', { 'Accept-Encoding': 'gzip, br' });
    assert.equal(response?.headers.get('Content-Encoding'), 'br');
    assert.equal(await response?.text(), 'compressed');
  });

  it('stay within their directory', async () => {
    for (const path of [
      '%2e%2e%2fsecret.txt',
      '..%5csecret.txt',
      'leak.txt',
      '.hidden',
      'sub',
      'none.js',
      'app.js/x',
      '%ff',
      '%00',
      '/etc/passwd',
    ]) {
      assert.equal(await get(`/assets/${path}`), undefined, path);
    }
    assert.equal(await get('/assets/app.js', {}, 'POST'), undefined);
    assert.equal(await get('/other/app.js'), undefined);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createTestClock } from '#core';
import { millrace, type Config } from '#config';
import { createRevocationNotices } from '#identity';
import { createHttpSender } from '#transport';
import { formPutter } from '../../src/server/post-form.ts';
import { startBackEnd } from './effect-server.ts';
import type { EffectRow } from './effect-row.ts';

const section = 'apim.token.revocation';
const address = '"persistent_notifier.hostname" = "http://store/keys"\n';
const withStore = `[${section}]\n${address}`;
const revocation = { tenantId: -1234, key: 'jti/1', form: 'jwt', clientId: 'app', expires: null } as const;

/** What a revocation tells listeners, a store that records, and modules of one's own. */
async function told(config: Config): Promise<unknown> {
  const puts: string[] = [];
  const directory = mkdtempSync(join(tmpdir(), 'millrace-revocation-'));
  writeFileSync(join(directory, 'own.mjs'), 'export default { notify: ({ key }) => { globalThis.ownNotice = key; } };');
  delete (globalThis as { ownNotice?: string }).ownNotice;
  await using store = await startBackEnd((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      puts.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''} ${body}`);
      response.writeHead(201).end();
    });
  });
  await using sender = createHttpSender();
  const published: unknown[] = [];
  const put = formPutter(sender);
  const notices = createRevocationNotices({
    config,
    clock: createTestClock(),
    modules: { directory, classMap: config.bag(millrace.classMap) },
    publish: (notice) => published.push(notice),
    // Whatever host the file names, the store is on this machine.
    put: (url, form, authorization) => put(url.replace(/^http:\/\/store/, store.url), form, authorization),
  });
  notices.tell(revocation);
  await setImmediate();
  await notices[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
  return [published, puts, (globalThis as { ownNotice?: string }).ownNotice];
}

const row = (name: string, first: EffectRow['first'], second: EffectRow['first'], given = ''): EffectRow => ({
  key: `${section}.${name}`,
  first,
  second,
  given,
  observe: told,
});

export const rows: readonly EffectRow[] = [
  row('enable_realtime_notifier', true, false),
  row('realtime_notifier.ttl', 5000, 6000),
  row('enable_persistent_notifier', true, false, withStore),
  row('persistent_notifier.hostname', 'http://store/v2/keys/jti/', 'http://store/other'),
  row('persistent_notifier.ttl', 5000, 60_000, withStore),
  row('persistent_notifier.username', 'one', 'two', withStore),
  row('persistent_notifier.password', 'one', 'two', `${withStore}"persistent_notifier.username" = "store"\n`),
  {
    ...row('notifier_impl', './own.mjs', 'org.wso2.carbon.apimgt.notification.TokenRevocationNotifierImpl'),
    alone: true,
  },
];

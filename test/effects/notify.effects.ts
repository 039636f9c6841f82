import { outputAdapterEmail, type Config } from '#config';
import { configureLog } from '#core';
import { mailDefaultsOf } from '../../src/server/notifications.ts';
import { startTestNotify } from '../../src/notify/test-notify.ts';
import { startMailServer } from '../helpers/mail-server.ts';
import type { EffectRow } from './effect-row.ts';

/** What becomes of a mail with these settings; host and port are those of a server of the test unless `own` keeps them. */
function mailed(...own: readonly ('host' | 'port')[]) {
  return async (config: Config): Promise<unknown> => {
    configureLog({ level: 'silent', format: 'json' });
    await using server = await startMailServer({ user: 'mailer', password: 'right', optional: true });
    const { properties, signature } = mailDefaultsOf(config, outputAdapterEmail);
    const place = { host: '127.0.0.1', port: String(server.port) };
    const kept = Object.entries(place).filter(([name]) => !own.includes(name as 'host' | 'port'));
    const merged = new Map([...properties, ...kept.map(([name, value]) => [`mail.smtp.${name}`, value] as const)]);
    await using notify = await startTestNotify({
      mail: { 'output_adapter.email': { properties: merged, signature } },
      settings: { attempts: 1 },
      tools: { trusted: () => [server.certificate] },
    });
    const event = { 'send-to': 'ada@example.com', subject: 'Hello', body: 'text' };
    const attributes = new Map(Object.entries(event));
    await notify.bus.handOver({ topic: 'id_gov_notify_stream:1.0.0', at: 0, attributes });
    await notify.settled();
    const [mail] = server.mails;
    if (!mail) return (await notify.notifications.queue.dead(1))[0]?.reason;
    return [mail.from, mail.header('From'), mail.user, mail.isSecure, mail.text.includes('-- ')];
  };
}

/** The keys of one section; what is written below `apim.notifications` alone counts for both, as in the original. */
function rowsOf(section: string): readonly EffectRow[] {
  const header = `[${section}]\n`;
  const from = `${header}from_address = "a@acme.com"\n`;
  const signedIn = `${from}enable_authentication = true\n`;
  return [
    { key: `${section}.from_address`, first: 'a@acme.com', second: 'b@acme.com', observe: mailed() },
    { key: `${section}.hostname`, first: '127.0.0.1', second: 'mail.invalid', given: from, observe: mailed('host') },
    { key: `${section}.port`, first: 1, second: 2, given: from, observe: mailed('port') },
    { key: `${section}.signature`, first: 'Acme', second: 'Mill', given: from, observe: mailed() },
    { key: `${section}.enable_start_tls`, first: true, second: false, given: from, observe: mailed() },
    {
      key: `${section}.enable_authentication`,
      first: true,
      second: false,
      given: `${from}username = "mailer"\npassword = "right"\n`,
      observe: mailed(),
    },
    {
      key: `${section}.username`,
      first: 'mailer',
      second: 'nobody',
      given: `${signedIn}password = "right"\n`,
      observe: mailed(),
    },
    {
      key: `${section}.password`,
      first: 'right',
      second: 'wrong',
      given: `${signedIn}username = "mailer"\n`,
      observe: mailed(),
    },
  ];
}

export const rows: readonly EffectRow[] = [...rowsOf('output_adapter.email'), ...rowsOf('apim.notifications')];

import { apimNotifications, outputAdapterEmail, type Config } from '#config';
import type { Clock, Home } from '#core';
import { openDatabase, type Database } from '#db';
import type { ConnectionSettings } from '#mediation';
import type { AdapterTools, MailDefaults, Sealing } from '#notify';
import type { HttpSender } from '#transport';
import { readDatabase } from './data-sources.ts';
import { sealingKey } from './identity-files.ts';
import { openServerDatabase } from './server-database.ts';
import { applyTls, type ServerTls } from './tls.ts';

/** Milliseconds that a provider or a mail server may take. */
const patience = 30_000;

/** A file of its own where the server's database is one: what waits to be sent holds up nothing else. */
const alone = 'jdbc:h2:./data/notifications';

/** Opens the database of senders and of what waits to be sent. */
export async function openNotifyDatabase(config: Config, home: Home, clock: Clock): Promise<Database> {
  const { notifySchema } = await import('#notify');
  const url = readDatabase(config, 'apim_db')?.url;
  const isServer = url !== undefined && !url.startsWith('jdbc:h2:');
  if (isServer) return openServerDatabase(config, home, [notifySchema]);
  return openDatabase({ home, clock, schemas: [notifySchema], url: alone });
}

/** Seals with the key of the home. */
export async function openSealing(config: Config, home: Home): Promise<Sealing> {
  const { createProtection } = await import('#identity');
  const protection = createProtection({ mode: 'encrypted', algorithm: 'sha256', key: sealingKey(home, config) });
  return {
    seal: (text) => protection.store(text) ?? '',
    open: (sealed) => protection.restore(sealed) ?? '',
  };
}

/** The settings of one section as the properties that the email adapter knows (identity 6.9). */
export function mailDefaultsOf(
  config: Config,
  section: typeof outputAdapterEmail | typeof apimNotifications,
): MailDefaults {
  const values: readonly (readonly [string, string | number | boolean | undefined])[] = [
    ['mail.smtp.from', config.get(section.fromAddress)],
    ['mail.smtp.user', config.get(section.username)],
    ['mail.smtp.password', config.get(section.password)],
    ['mail.smtp.host', config.get(section.hostname)],
    ['mail.smtp.port', config.get(section.port)],
    ['mail.smtp.starttls.enable', config.get(section.enableStartTls)],
    ['mail.smtp.auth', config.get(section.enableAuthentication)],
    ['mail.smtp.signature', config.get(section.signature)],
  ];
  return {
    properties: new Map(values.flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]))),
    signature: config.get(section.signature),
  };
}

export interface ToolParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly sender: HttpSender;
  readonly openSender: (settings: ConnectionSettings) => HttpSender;
  readonly tls: ServerTls;
}

/** What the adapters work with. */
export function adapterTools({ config, clock, sender, openSender, tls }: ToolParts): AdapterTools {
  const defaults = {
    'output_adapter.email': mailDefaultsOf(config, outputAdapterEmail),
    'apim.notifications': mailDefaultsOf(config, apimNotifications),
  };
  const proxied = new Map<string, HttpSender>();
  let trusted: readonly string[] | undefined;
  const readTrusted = (): void => {
    const { ca } = tls.sender();
    trusted = ca === undefined ? undefined : [ca].flat().map(String);
  };
  readTrusted();
  tls.onChange(() => void applyTls(readTrusted));
  return {
    clock,
    sender,
    patience,
    mailDefaults: (section) => defaults[section],
    trusted: () => trusted,
    senderThrough(proxy) {
      const key = `${proxy.host}:${proxy.port}`;
      const known = proxied.get(key) ?? openSender({ proxy: () => proxy });
      proxied.set(key, known);
      return known;
    },
  };
}

import process from 'node:process';
import { loadHomeConfig, usableConfig } from '#config';
import { createHome, systemClock } from '#core';
import type { Administration } from '#identity';
import { sealingKey, storeFileDecrypter } from './identity-files.ts';
import { openServerDatabase } from './server-database.ts';
import { readSettings } from './settings.ts';
import { openTls } from './tls.ts';
import { openTrusted } from './trusted.ts';

/**
 * Opens the users, tenants and clients of a home over its database, with or without a server that runs beside.
 *
 * @throws ProblemsError for a configuration that cannot be used
 */
export async function openHomeAdministration(directory: string): Promise<Administration> {
  const home = createHome(directory);
  const loaded = await loadHomeConfig({
    home: home.directory,
    env: process.env,
    systemProperties: { 'carbon.home': home.directory },
  });
  const config = usableConfig(loaded);
  const area = await import('#identity');
  const settings = readSettings(config, 0, true);
  const publicUrl =
    settings.publicUrl ?? `https://${settings.hostname}:${settings.serverHttps.port}${settings.publicPath}`;
  const tls = openTls(home, config);
  const database = await openServerDatabase(config, home, [area.oauthSchema, area.sessionsSchema, area.usersSchema]);
  const administration = area.openAdministration({
    config,
    settings: area.readIdentitySettings(config, publicUrl, sealingKey(home, config)),
    home,
    database,
    clock: systemClock,
    sealing: area.createProtection({ mode: 'encrypted', algorithm: 'sha256', key: sealingKey(home, config) }),
    ofKeyStore: () => {
      const pem = tls.primaryKey();
      return pem ? [area.signingKeyOf(pem.privateKeyPem, pem.certificatePem)] : [];
    },
    decrypt: storeFileDecrypter(config, home),
    trusted: openTrusted(tls).current,
  });
  return {
    ...administration,
    async [Symbol.asyncDispose]() {
      await administration[Symbol.asyncDispose]();
      tls[Symbol.dispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

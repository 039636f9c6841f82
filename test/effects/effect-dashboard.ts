import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '#config';
import { createHome } from '#core';
import { MillraceError } from '#errors';
import { createSelfSigned } from '#keystore';
import { writePkcs12 } from '../../src/keystore/pkcs12-write.ts';
import { startDashboard } from '../../src/server/dashboard-server.ts';

/** Lines that let the dashboard take any free port. */
export const anyPort = '[server_config]\nport = 0\n';

/** Runs `use` against a dashboard of the file in a home of its own. */
export async function withDashboard<T>(
  config: Config,
  use: (parts: Awaited<ReturnType<typeof startDashboard>>) => Promise<T>,
): Promise<unknown> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-effect-'));
  try {
    mkdirSync(join(directory, 'conf/security'), { recursive: true });
    for (const name of ['one', 'two'])
      writeFileSync(join(directory, 'conf/security', `${name}.p12`), await storeOf(name));
    await using server = await startDashboard({ home: createHome(directory), config });
    return await use(server);
  } catch (error) {
    return error instanceof MillraceError ? error.code : Promise.reject(error);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const stores = new Map<string, Promise<Uint8Array>>();

/** A key store with one certificate of that name; its password is `right`. */
function storeOf(name: string): Promise<Uint8Array> {
  const made =
    stores.get(name) ??
    createSelfSigned({ hostNames: [`${name}.example`], days: 2 }).then(({ privateKeyPem, certificatePem }) =>
      writePkcs12([{ alias: name, privateKeyPem, certificatePems: [certificatePem] }], 'right'),
    );
  stores.set(name, made);
  return made;
}

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openForeignDatabase } from '#db';
import { createHome } from '#core';
import type { DatabasePeer } from './database-peer.ts';
import { accountOf, findProgram, untilWorks } from './program.ts';
import { freePort } from '../helpers/free-port.ts';

const initdb = findProgram('initdb', ['/usr/lib/postgresql/*/bin']);
const postgres = findProgram('postgres', ['/usr/lib/postgresql/*/bin']);

/** Why PostgreSQL cannot be started here; false when it can. */
export const postgresqlMissing: string | false =
  initdb !== undefined && postgres !== undefined ? false : 'PostgreSQL is not installed (Debian package postgresql)';

/** Starts PostgreSQL with an empty database in a temporary directory and waits until it answers. */
export async function startPostgresql(): Promise<DatabasePeer> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-postgresql-'));
  const account = accountOf('postgres');
  if (account) chownSync(directory, account.uid, account.gid);
  const data = join(directory, 'data');
  const options = { ...account, cwd: directory, stdio: 'ignore' } as const;
  execFileSync(initdb ?? '', ['-D', data, '-U', 'millrace', '--auth=trust', '--no-sync', '-E', 'UTF8'], options);
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', 'fsync=off', `unix_socket_directories=${directory}`];
  const server = spawn(
    postgres ?? '',
    ['-D', data, '-p', String(port), ...settings.flatMap((each) => ['-c', each])],
    options,
  );
  const ended = once(server, 'exit');
  const peer = { url: `jdbc:postgresql://127.0.0.1:${port}/postgres`, username: 'millrace', password: 'unused' };
  const stop = async (): Promise<void> => {
    server.kill('SIGINT');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await untilWorks(async () => {
      await using database = await openForeignDatabase({ home: createHome(directory), ...peer });
      await database.get('SELECT 1');
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...peer, [Symbol.asyncDispose]: stop };
}

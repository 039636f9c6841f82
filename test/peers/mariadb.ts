import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHome } from '#core';
import { openForeignDatabase } from '#db';
import type { DatabasePeer } from './database-peer.ts';
import { accountOf, findProgram, untilWorks } from './program.ts';
import { freePort } from '../helpers/free-port.ts';

const install = findProgram('mariadb-install-db');
const mariadbd = findProgram('mariadbd');

/** Why MariaDB cannot be started here; false when it can. */
export const mariadbMissing: string | false =
  install !== undefined && mariadbd !== undefined ? false : 'MariaDB is not installed (Debian package mariadb-server)';

/** Starts MariaDB with an empty database in a temporary directory and waits until it answers. */
export async function startMariadb(): Promise<DatabasePeer> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-mariadb-'));
  const account = accountOf('mysql');
  if (account) chownSync(directory, account.uid, account.gid);
  const data = join(directory, 'data');
  const options = { ...account, cwd: directory, stdio: 'ignore' } as const;
  const common = ['--no-defaults', `--datadir=${data}`];
  execFileSync(install ?? '', [...common, '--auth-root-authentication-method=normal', '--skip-test-db'], options);
  const first = join(directory, 'first.sql');
  writeFileSync(
    first,
    `CREATE DATABASE millrace;
CREATE USER millrace@'127.0.0.1' IDENTIFIED BY 'millrace';
GRANT ALL ON *.* TO millrace@'127.0.0.1';
`,
  );
  if (account) chownSync(first, account.uid, account.gid);
  const port = await freePort();
  const server = spawn(
    mariadbd ?? '',
    [
      ...common,
      `--socket=${join(directory, 'socket')}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      '--log-bin-trust-function-creators=1',
      `--init-file=${first}`,
      '--innodb-flush-log-at-trx-commit=0',
    ],
    options,
  );
  const ended = once(server, 'exit');
  const peer = { url: `jdbc:mariadb://127.0.0.1:${port}/millrace`, username: 'millrace', password: 'millrace' };
  const stop = async (): Promise<void> => {
    server.kill('SIGTERM');
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

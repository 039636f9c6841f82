import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { configureLog } from '#core';
import { startTemporaryServer } from '../helpers/temporary-server.ts';
import type { EffectRow } from './effect-row.ts';
import { ports } from './effect-server.ts';
import { comesTrue } from './patience.ts';

/** The names of the log files that a server leaves, without the numbers in them. */
async function filesOf(text: string): Promise<readonly string[]> {
  configureLog({ level: 'info', format: 'json', destination: { write: () => undefined } });
  try {
    await using server = await startTemporaryServer({}, text, { logFiles: true });
    const folder = join(server.home, 'logs');
    // What the stop says is written after what the start said, so that a full file has been put aside in between.
    const isOn = !text.includes('"log_files.enable" = false');
    await comesTrue(() => existsSync(join(folder, 'wso2carbon.log')), isOn, 300);
    await server.server.stop();
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names.map((name) => name.replaceAll(/\d+/g, 'N')).sort();
  } finally {
    configureLog({ level: 'silent', format: 'json' });
  }
}

/** Log files of the home. */
export const rows: readonly EffectRow[] = [
  {
    key: 'millrace.log_files.enable',
    given: ports,
    first: true,
    second: false,
    alone: true,
    observe: (_, text) => filesOf(text),
  },
  {
    key: 'millrace.log_files.max_size',
    given: ports,
    first: 1,
    second: 10_485_760,
    alone: true,
    observe: (_, text) => filesOf(text),
  },
  {
    key: 'millrace.log_files.max_files',
    given: `${ports}[millrace]\nlog_files.max_size = 1\n`,
    first: 0,
    second: 5,
    alone: true,
    observe: (_, text) => filesOf(text),
  },
];

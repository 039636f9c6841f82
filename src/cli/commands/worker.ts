import { defineCommand } from 'citty';
import { runWorker } from '#server';
import { setUpLog } from '../serve.ts';

/** `millrace worker`: what the server starts for each of its workers. */
export const workerCommand = defineCommand({
  meta: { name: 'worker', description: 'One of several processes of a server; started by it', hidden: true },
  args: { 'log-level': { type: 'string', description: 'trace, debug, info, warn, error or silent' } },
  run({ args }) {
    setUpLog(args['log-level'], true);
    runWorker();
  },
});

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { defineCommand } from 'citty';
import { findPlaces } from '#artifacts';
import { MillraceError } from '#errors';
import { offsetOf, systemPropertiesOf } from '../options.ts';
import { serve, setUpLog } from '../serve.ts';

/** `millrace run PATH`: a project, an archive or one file as it is, in a home that is thrown away. */
export const runProjectCommand = defineCommand({
  meta: {
    name: 'run',
    description:
      'Run a project folder, a .car archive or one XML file as it is, and watch it for changes.\n\nExample: millrace run ./my-project --offset 10',
  },
  args: {
    path: { type: 'positional', description: 'Project folder, .car or .xml file', required: true },
    define: {
      type: 'string',
      alias: 'D',
      description: 'Property of the process as name=value, any number of times; also -Dname=value',
    },
    offset: { type: 'string', description: 'Number that is added to every port' },
    'log-level': { type: 'string', description: 'trace, debug, info, warn, error or silent' },
  },
  async run({ args, rawArgs }) {
    setUpLog(args['log-level']);
    const path = resolve(args.path);
    if (!existsSync(path)) {
      throw new MillraceError({ code: 'MR_CLI_PATH', message: `There is no file or folder ${path}` });
    }
    const home = mkdtempSync(join(tmpdir(), 'millrace-'));
    try {
      await serve({
        home,
        places: findPlaces(path),
        runtimeOnly: true,
        offset: offsetOf(args.offset),
        environment: process.env,
        systemProperties: systemPropertiesOf(rawArgs),
      });
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
});

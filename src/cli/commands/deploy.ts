import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { defineCommand } from 'citty';
import { MillraceError } from '#errors';
import { callManagement, changeManagement } from '../management-client.ts';
import { serverOptions } from '../output.ts';

/** `millrace deploy FILE`: sends an archive; when anything is wrong with it, what ran before still runs. */
export const deployCommand = defineCommand({
  meta: { name: 'deploy', description: 'Deploys an archive.\n\nExample: millrace deploy ./Orders_1.0.0.car\n' },
  args: {
    file: { type: 'positional', required: true, description: 'A file that ends with .car' },
    server: serverOptions.server,
  },
  async run({ args }) {
    if (!args.file.endsWith('.car')) {
      throw new MillraceError({
        code: 'MR_CLI_FILE',
        message: `Expected a file that ends with .car; found "${args.file}"`,
      });
    }
    const form = new FormData();
    form.set('file', new Blob([readFileSync(args.file)]), basename(args.file));
    const encoded = new Response(form);
    const { text } = await callManagement(args.server, {
      method: 'POST',
      path: '/applications',
      headers: { 'Content-Type': encoded.headers.get('Content-Type') ?? '' },
      body: new Uint8Array(await encoded.arrayBuffer()),
    });
    console.log((JSON.parse(text) as { Message: string }).Message);
  },
});

/** `millrace undeploy NAME`. */
export const undeployCommand = defineCommand({
  meta: { name: 'undeploy', description: 'Removes an archive.\n\nExample: millrace undeploy Orders_1.0.0\n' },
  args: {
    name: { type: 'positional', required: true, description: 'File name of the archive, with or without .car' },
    server: serverOptions.server,
  },
  async run({ args }) {
    const name = args.name.replace(/\.car$/, '');
    console.log(
      await changeManagement(args.server, { method: 'DELETE', path: `/applications/${encodeURIComponent(name)}` }),
    );
  },
});

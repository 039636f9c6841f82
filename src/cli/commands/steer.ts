import { defineCommand } from 'citty';
import { MillraceError } from '#errors';
import { changeManagement } from '../management-client.ts';
import { serverOptions } from '../output.ts';

/** What can be switched on and off. */
const switchable: Readonly<Record<string, string>> = {
  endpoint: '/endpoints',
  'proxy-service': '/proxy-services',
  'message-processor': '/message-processors',
  'inbound-endpoint': '/inbound-endpoints',
  task: '/tasks',
  connector: '/connectors',
};

function pathOf(kind: string): string {
  const path = Object.hasOwn(switchable, kind) ? switchable[kind] : undefined;
  if (path !== undefined) return path;
  const known = Object.keys(switchable).join(', ');
  throw new MillraceError({ code: 'MR_CLI_KIND', message: `Expected one of ${known}; found "${kind}"` });
}

const target = {
  kind: { type: 'positional', required: true, description: Object.keys(switchable).join(', ') },
  name: { type: 'positional', required: true, description: 'Its name' },
  server: serverOptions.server,
} as const;

async function change(
  args: { readonly kind: string; readonly name: string; readonly server?: string | undefined },
  status: string,
): Promise<void> {
  const word = args.kind === 'connector' ? `${status === 'active' ? 'en' : 'dis'}abled` : status;
  console.log(
    await changeManagement(args.server, { path: pathOf(args.kind), body: { name: args.name, status: word } }),
  );
}

/** `millrace activate KIND NAME`. */
export const activateCommand = defineCommand({
  meta: { name: 'activate', description: 'Switches an artifact on.\n\nExample: millrace activate endpoint Orders\n' },
  args: target,
  run: ({ args }) => change(args, 'active'),
});

/** `millrace deactivate KIND NAME`. */
export const deactivateCommand = defineCommand({
  meta: { name: 'deactivate', description: 'Switches an artifact off.\n\nExample: millrace deactivate task Nightly\n' },
  args: target,
  run: ({ args }) => change(args, 'inactive'),
});

/** `millrace trigger TASK`. */
export const triggerCommand = defineCommand({
  meta: { name: 'trigger', description: 'Runs a task once, now.\n\nExample: millrace trigger Nightly\n' },
  args: {
    name: { type: 'positional', required: true, description: 'Name of the task' },
    server: serverOptions.server,
  },
  async run({ args }) {
    console.log(await changeManagement(args.server, { path: '/tasks', body: { name: args.name, status: 'trigger' } }));
  },
});

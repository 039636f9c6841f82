import { defineCommand } from 'citty';
import { MillraceError } from '#errors';
import { callManagement, changeManagement, readManagement } from '../management-client.ts';
import { fieldsOf, serverOptions, tableOf, textOf } from '../output.ts';

const start = defineCommand({
  meta: {
    name: 'start',
    description:
      'Traces the next messages, all or those that fit. It ends by itself.\n\n' +
      'Example: millrace trace start api:Orders --next 5 --header X-Debug=1 --payloads\n',
  },
  args: {
    artifact: {
      type: 'positional',
      required: false,
      description: 'Key such as api:Orders; every artifact when absent',
    },
    next: { type: 'string', default: '1', description: 'How many messages', valueHint: 'COUNT' },
    seconds: { type: 'string', default: '300', description: 'When to end in any case', valueHint: 'SECONDS' },
    header: { type: 'string', description: 'A header that they must have', valueHint: 'NAME[=VALUE]' },
    when: { type: 'string', description: 'Expression that must be true', valueHint: 'EXPRESSION' },
    payloads: { type: 'boolean', default: false, description: 'Records payloads, with what is secret masked' },
    server: serverOptions.server,
  },
  async run({ args }) {
    const [name, ...value] = (args.header ?? '').split('=');
    const { text } = await callManagement(args.server, {
      method: 'POST',
      path: '/millrace/captures',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        artifact: args.artifact,
        ...(args.header !== undefined && { header: { name, ...(value.length > 0 && { value: value.join('=') }) } }),
        predicate: args.when,
        next: numberOf(args.next, 'next'),
        seconds: numberOf(args.seconds, 'seconds'),
        payloads: args.payloads,
      }),
    });
    const { id, remaining } = JSON.parse(text) as { id: string; remaining: number };
    console.log(
      `Capture ${id} takes the next ${remaining === 1 ? 'message' : `${remaining} messages`}; see millrace trace list`,
    );
  },
});

const list = defineCommand({
  meta: { name: 'list', description: 'Lists the messages that were traced.\n\nExample: millrace trace list\n' },
  args: serverOptions,
  async run({ args }) {
    const answer = (await readManagement(args.server, '/millrace/traces')) as { list: Record<string, unknown>[] };
    if (args.output === 'json') {
      console.log(JSON.stringify(answer, null, 2));
      return;
    }
    const columns = ['number', 'artifact', 'steps', 'duration', 'failed', 'correlation'];
    console.log(
      tableOf(
        columns,
        answer.list.map((trace) => columns.map((column) => textOf(trace[column]))),
      ),
    );
  },
});

const show = defineCommand({
  meta: {
    name: 'show',
    description:
      'Shows a traced message step by step: what each mediator found changed, and what it changed.\n\nExample: millrace trace show 3\n',
  },
  args: { number: { type: 'positional', required: true, description: 'Number of the trace' }, ...serverOptions },
  async run({ args }) {
    const trace = (await readManagement(args.server, `/millrace/traces/${numberOf(args.number, 'number')}`)) as {
      steps: {
        mediator: string;
        element: string;
        duration?: number;
        before?: object;
        after?: object;
        error?: string;
      }[];
    };
    if (args.output === 'json') {
      console.log(JSON.stringify(trace, null, 2));
      return;
    }
    const { steps, ...facts } = trace;
    console.log(fieldsOf(facts));
    for (const { mediator, element, duration, before, after, error } of steps) {
      console.log(`\n${mediator} <${element}> ${duration === undefined ? '' : `${duration.toFixed(3)} ms`}`);
      for (const [mark, changes] of [
        ['<', before],
        ['>', after],
      ] as const) {
        for (const [part, value] of Object.entries(changes ?? {})) console.log(`  ${mark} ${part} = ${textOf(value)}`);
      }
      if (error !== undefined) console.log(`  ! ${error}`);
    }
  },
});

/** Kinds of artifacts that can be traced as a whole. */
const traceable: Readonly<Record<string, string>> = {
  api: '/apis',
  'proxy-service': '/proxy-services',
  endpoint: '/endpoints',
  'inbound-endpoint': '/inbound-endpoints',
  sequence: '/sequences',
  template: '/templates',
};

function toggle(word: 'enable' | 'disable', name: string): typeof list {
  return defineCommand({
    meta: {
      name,
      description: `Switches tracing ${name}, or counting by --statistics.\n\nExample: millrace trace ${name} api Orders\n`,
    },
    args: {
      kind: { type: 'positional', required: true, description: Object.keys(traceable).join(', ') },
      name: { type: 'positional', required: true, description: 'Its name' },
      statistics: { type: 'boolean', default: false, description: 'Statistics instead of tracing' },
      server: serverOptions.server,
    },
    async run({ args }) {
      const path = Object.hasOwn(traceable, args.kind) ? traceable[args.kind] : undefined;
      if (path === undefined) {
        const known = Object.keys(traceable).join(', ');
        throw new MillraceError({ code: 'MR_CLI_KIND', message: `Expected one of ${known}; found "${args.kind}"` });
      }
      const aspect = args.statistics ? 'statistics' : 'trace';
      console.log(await changeManagement(args.server, { path, body: { name: args.name, [aspect]: word } }));
    },
  }) as unknown as typeof list;
}

function numberOf(text: string, name: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number >= 1) return number;
  throw new MillraceError({ code: 'MR_CLI_NUMBER', message: `${name} must be a number from 1 on; found "${text}"` });
}

/** `millrace trace …`: what mediators do to messages. */
export const traceCommand = defineCommand({
  meta: { name: 'trace', description: 'Traces messages\n\nExample: millrace trace start api:Orders' },
  subCommands: { start, list, show, on: toggle('enable', 'on'), off: toggle('disable', 'off') },
});

import process from 'node:process';
import { defineCommand } from 'citty';
import { MillraceError } from '#errors';
import { openDeadNotices, sendTestNotice } from '#server';
import { printRows, quietly } from '../administration.ts';

const testCommand = defineCommand({
  meta: {
    name: 'test',
    description:
      'Sends one message and prints each step; exit 1 when it was not taken.\n\n' +
      'Example: millrace notify test sms --to +447700900123 --tenant acme.com --home ./home\n',
  },
  args: {
    channel: { type: 'positional', description: 'sms or email', required: true },
    to: { type: 'string', description: 'Number or address of the recipient', required: true, valueHint: 'WHO' },
    text: { type: 'string', description: 'What it says', default: 'A test of notifications', valueHint: 'TEXT' },
    subject: { type: 'string', description: 'Subject of a mail', default: 'Test', valueHint: 'TEXT' },
    tenant: { type: 'string', description: 'Domain of the tenant; the super tenant when absent', valueHint: 'DOMAIN' },
    publisher: {
      type: 'string',
      description: 'Sender or publisher; that of the channel when absent',
      valueHint: 'NAME',
    },
    home: { type: 'string', description: 'Directory of the home', default: '.', valueHint: 'DIR' },
  },
  async run({ args }) {
    const { channel, to, text, subject, tenant, publisher, home } = args;
    if (channel !== 'sms' && channel !== 'email') {
      throw new MillraceError({ code: 'MR_CLI_VALUE', message: `Expected sms or email, found "${channel}"` });
    }
    const outcome = await sendTestNotice({ home, channel, to, text, subject, tenant, publisher }, (step) =>
      console.log(`  ${step}`),
    );
    console.log(`${outcome.kind}: ${outcome.detail}`);
    if (outcome.answer) console.log(`  ${outcome.answer.slice(0, 500)}`);
    if (outcome.kind !== 'sent') process.exitCode = 1;
  },
});

const common = {
  home: { type: 'string', description: 'Directory of the home', default: '.', valueHint: 'DIR' },
} as const;

const deadCommand = defineCommand({
  meta: {
    name: 'dead',
    description:
      'Lists messages that were given up, the latest first.\n\nExample: millrace notify dead --home ./home\n',
  },
  args: {
    ...common,
    limit: { type: 'string', description: 'Most messages', default: '100', valueHint: 'N' },
    output: { type: 'enum', options: ['table', 'json'], description: 'Form of the output', default: 'table' },
  },
  async run({ args }) {
    const limit = Number(args.limit);
    if (!Number.isInteger(limit) || limit < 1) {
      throw new MillraceError({ code: 'MR_CLI_VALUE', message: `Expected a number from 1, found "${args.limit}"` });
    }
    quietly();
    await using notices = await openDeadNotices(args.home);
    const letters = await notices.dead(limit);
    const rows = letters.map(({ id, lane, attempts, created, died, reason }) => ({
      id,
      sender: lane,
      attempts,
      created: new Date(created).toISOString(),
      died: new Date(died).toISOString(),
      reason,
    }));
    printRows(rows.length === 0 && args.output === 'table' ? 'No message was given up.' : rows, args.output);
  },
});

const retryCommand = defineCommand({
  meta: {
    name: 'retry',
    description:
      'Puts messages that were given up back into the queue; exit 1 when one is not there.\n\n' +
      'Example: millrace notify retry 01a20130-5d26-7085-8ad5-5e87eb23054e --home ./home\n',
  },
  args: {
    id: { type: 'positional', description: 'Ids, as `notify dead` shows them', required: false },
    all: { type: 'boolean', description: 'Every message that was given up' },
    ...common,
  },
  async run({ args }) {
    if (args._.length === 0 && args.all !== true) {
      throw new MillraceError({ code: 'MR_CLI_VALUE', message: 'Expected ids of messages, or --all' });
    }
    quietly();
    await using notices = await openDeadNotices(args.home);
    const ids = args.all === true ? (await notices.dead(Number.MAX_SAFE_INTEGER)).map(({ id }) => id) : args._;
    for (const id of ids) {
      const isThere = await notices.revive(id);
      console.log(isThere ? `${id} waits to be sent again` : `${id}: no such message was given up`);
      if (!isThere) process.exitCode = 1;
    }
    if (ids.length === 0) console.log('No message was given up.');
  },
});

/** `millrace notify …`: sending of mails and text messages. */
export const notifyCommand = defineCommand({
  meta: {
    name: 'notify',
    description: 'Mails and text messages\n\nExample: millrace notify test email --to me@example.com',
  },
  subCommands: { test: testCommand, dead: deadCommand, retry: retryCommand },
});

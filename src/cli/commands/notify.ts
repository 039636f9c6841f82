import process from 'node:process';
import { defineCommand } from 'citty';
import { MillraceError } from '#errors';
import { sendTestNotice } from '#server';

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

/** `millrace notify …`: sending of mails and text messages. */
export const notifyCommand = defineCommand({
  meta: {
    name: 'notify',
    description: 'Mails and text messages\n\nExample: millrace notify test email --to me@example.com',
  },
  subCommands: { test: testCommand },
});

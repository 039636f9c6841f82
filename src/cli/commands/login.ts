import { defineCommand } from 'citty';
import { MillraceError } from '#errors';
import { hiddenPrompt } from '../hidden-prompt.ts';
import { readFirstLine } from '../standard-input.ts';
import { keepSession, sendManagement, sessionsFile } from '../management-client.ts';

const defaultUrl = 'https://localhost:9164';

/** `millrace login [URL]`: signs in to the management API of a runtime and keeps the token. */
export const loginCommand = defineCommand({
  meta: {
    name: 'login',
    description:
      'Signs in to a runtime; other commands use the session. The password is asked for, or read from standard input.\n\n' +
      `Example: millrace login ${defaultUrl} --user admin --ca ./server.pem\n`,
  },
  args: {
    url: { type: 'positional', required: false, default: defaultUrl, description: 'Address of the management port' },
    user: { type: 'string', alias: 'u', default: 'admin', description: 'Name of the user', valueHint: 'NAME' },
    name: { type: 'string', default: 'default', description: 'Name of the session', valueHint: 'NAME' },
    ca: { type: 'string', description: 'File with certificates to trust', valueHint: 'FILE' },
    insecure: { type: 'boolean', alias: 'k', default: false, description: 'Does not check the certificate' },
  },
  async run({ args }) {
    const { origin: url } = new URL(args.url);
    const password = await (hiddenPrompt?.(`Password of ${args.user}: `) ?? readFirstLine());
    const trust = { url, ca: args.ca, insecure: args.insecure };
    const credentials = Buffer.from(`${args.user}:${password}`).toString('base64');
    const answer = await sendManagement(trust, {
      method: 'GET',
      path: '/login',
      headers: { Authorization: `Basic ${credentials}` },
    });
    if (answer.status !== 200) {
      const reasons: Readonly<Record<number, string>> = { 401: 'the name or the password is wrong' };
      const reason = reasons[answer.status] ?? `the server answered ${answer.status} ${answer.text}`;
      throw new MillraceError({ code: 'MR_CLI_LOGIN', message: `Not signed in to ${url}: ${reason}` });
    }
    const { AccessToken: token } = JSON.parse(answer.text) as { readonly AccessToken: string };
    keepSession(args.name, { ...trust, user: args.user, token });
    console.log(`Signed in to ${url} as ${args.user}; the session "${args.name}" is in ${sessionsFile()}`);
  },
});

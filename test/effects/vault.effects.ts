import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EffectRow } from './effect-row.ts';
import { apiOf, ask, inServer, ports } from './effect-server.ts';

/** What a request to the vault said: method, path, token, namespace, body. */
type Heard = readonly [string, string, unknown, unknown, string];

/** What two messages get of the vault, each by both functions, and what the vault heard. */
async function lookUp(text: string, wait = 0): Promise<{ readonly bodies: string[]; readonly heard: Heard[] }> {
  const heard: Heard[] = [];
  const vault = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    heard.push([method, url, headers['x-vault-token'], headers['x-vault-namespace'], await readText(request)]);
    const body = url.includes('/auth/')
      ? { auth: { client_token: 'signed-in', lease_duration: 3600 } }
      : { data: { user: 'one', data: { user: 'two' } } };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
  };
  await new Promise<void>((resolve) => void vault.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(vault.address() as AddressInfo).port}`;
  const api = apiOf(`<property name="a" expression="hashicorp:vault-lookup('kv/db','user')"/>
    <variable name="b" expression="\${hashicorp-vault('kv/db','user')}"/>
    <payloadFactory media-type="json"><format>["\${props.synapse.a}", "\${vars.b}"]</format></payloadFactory><respond/>`);
  try {
    return await inServer(text.replaceAll('http://vault', address), api, async (server) => {
      const bodies: string[] = [];
      for (let count = 0; count < 2; count++) {
        const answer = await ask(`${server.url('API HTTP')}/t`);
        bodies.push(typeof answer === 'string' ? answer : answer.body);
        if (wait > 0) await new Promise((resolve) => void setTimeout(resolve, wait));
      }
      return { bodies, heard };
    });
  } finally {
    vault.closeAllConnections();
    vault.close();
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

const vaultTable = '[[external_vault]]\nname = "hashicorp"\naddress = "http://vault"\n';

const row = (name: string, values: readonly [string | number, string | number], given: string): EffectRow => ({
  key: `external_vault.${name}`,
  first: values[0],
  second: values[1],
  given: `${ports}${given}`,
  observe: async (_, text) => {
    const { bodies, heard } = await lookUp(text);
    return { bodies, heard };
  },
});

const token = `${vaultTable}rootToken = "root"\n`;

export const rows: readonly EffectRow[] = [
  row('rootToken', ['one', 'two'], vaultTable),
  row('engineVersion', [1, 2], token),
  row('namespace', ['one', 'two'], token),
  row('roleId', ['one', 'two'], `${vaultTable}secretId = "s"\n`),
  row('secretId', ['one', 'two'], `${vaultTable}roleId = "r"\n`),
  row('ldapUsername', ['one', 'two'], `${vaultTable}ldapPassword = "p"\n`),
  row('ldapPassword', ['one', 'two'], `${vaultTable}ldapUsername = "u"\n`),
  {
    key: 'external_vault.cacheableDuration',
    first: 0,
    second: 60_000,
    given: `${ports}${token}`,
    observe: async (_, text) => (await lookUp(text, 5)).heard.length,
  },
  {
    key: 'external_vault.address',
    first: 'http://vault',
    second: 'http://vault/below',
    given: `${ports}[[external_vault]]\nname = "hashicorp"\nrootToken = "root"\n`,
    observe: async (_, text) => (await lookUp(text)).heard.map(([, path]) => path),
  },
];

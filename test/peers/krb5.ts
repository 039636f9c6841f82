import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { findProgram, untilWorks } from './program.ts';
import { freePort } from '../helpers/free-port.ts';

const run = promisify(execFile);
const programs = ['krb5kdc', 'kdb5_util', 'kadmin.local', 'kinit', 'curl'] as const;
const absent = programs.filter((name) => findProgram(name) === undefined);

/** Why a realm cannot be started here; false when it can. */
export const krb5Missing: string | false =
  absent.length === 0
    ? false
    : `${absent.join(', ')}: not installed (Debian packages krb5-kdc, krb5-admin-server, krb5-user, curl)`;

export const realm = 'MILLRACE.EXAMPLE';
export const service = `HTTP/localhost@${realm}`;
export const servicePassword = 'password of the service';
export const userPassword = 'password of the user';

/** A realm of its own with a service on this machine. */
export interface Krb5Peer extends AsyncDisposable {
  /** The keys of the service. */
  readonly keytab: string;
  /** Makes a user. */
  addUser(name: string): Promise<void>;
  /** Gives the service another key, of one encryption type such as `aes256-cts`; the keytab has it. */
  rekey(type: string): Promise<void>;
  /** Signs a user in and gets the token (base64) that a browser would send to the service. */
  negotiate(user: string): Promise<string>;
}

/** Starts a key distribution centre in a temporary directory and waits until it answers. */
export async function startKrb5(): Promise<Krb5Peer> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-krb5-'));
  const port = await freePort();
  const file = (name: string): string => join(directory, name);
  writeFileSync(
    file('krb5.conf'),
    `[libdefaults]
  default_realm = ${realm}
  dns_lookup_kdc = false
  dns_canonicalize_hostname = false
  rdns = false
  udp_preference_limit = 1
[realms]
  ${realm} = {
    kdc = 127.0.0.1:${port}
  }
[domain_realm]
  localhost = ${realm}
`,
  );
  writeFileSync(
    file('kdc.conf'),
    `[kdcdefaults]
  kdc_listen = ""
  kdc_tcp_listen = "127.0.0.1:${port}"
[realms]
  ${realm} = {
    database_name = ${file('principal')}
    key_stash_file = ${file('stash')}
    acl_file = ${file('acl')}
    supported_enctypes = aes256-cts:normal aes128-cts:normal aes128-sha2:normal aes256-sha2:normal
  }
`,
  );
  const env = { ...process.env, KRB5_CONFIG: file('krb5.conf'), KRB5_KDC_PROFILE: file('kdc.conf') };
  const path = (name: string): string => findProgram(name) ?? name;
  const admin = (command: string): Promise<unknown> =>
    run(path('kadmin.local'), ['-r', realm, '-q', command], { env, timeout: 120_000 });
  execFileSync(path('kdb5_util'), ['create', '-s', '-W', '-r', realm, '-P', 'master'], { env, stdio: 'ignore' });
  const kdc = spawn(path('krb5kdc'), ['-n', '-r', realm], { env, stdio: 'ignore' });
  const ended = once(kdc, 'exit');
  const keytab = file('service.keytab');

  const signIn = async (user: string): Promise<NodeJS.ProcessEnv> => {
    const withCache = { ...env, KRB5CCNAME: `FILE:${file(`cache-${user.replace('/', '-')}`)}` };
    const child = spawn(path('kinit'), [user], { env: withCache, stdio: ['pipe', 'ignore', 'ignore'] });
    child.stdin.end(`${userPassword}\n`);
    const [code] = (await once(child, 'exit')) as [number];
    if (code !== 0) throw new Error(`kinit ended with ${code}`);
    return withCache;
  };

  const peer: Krb5Peer = {
    keytab,
    async addUser(name) {
      await admin(`addprinc -pw "${userPassword}" ${name}`);
    },
    async rekey(type) {
      rmSync(keytab, { force: true });
      await admin(`cpw -e ${type}:normal -pw "${servicePassword}" ${service}`);
      await admin(`ktadd -norandkey -k ${keytab} ${service}`);
    },
    async negotiate(user) {
      const withCache = await signIn(user);
      let token = '';
      const server = createServer((request, response) => {
        token = /^Negotiate (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? token;
        response.writeHead(token === '' ? 401 : 200, { 'WWW-Authenticate': 'Negotiate' }).end();
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      try {
        const url = `http://localhost:${(server.address() as AddressInfo).port}/`;
        await run(path('curl'), ['-s', '-4', '--noproxy', '*', '--negotiate', '-u', ':', url], { env: withCache });
      } finally {
        server.close();
      }
      if (token === '') throw new Error('curl has negotiated nothing');
      return token;
    },
    async [Symbol.asyncDispose]() {
      kdc.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
  try {
    await admin(`addprinc -pw "${servicePassword}" ${service}`);
    await admin(`addprinc -pw "${userPassword}" probe`);
    await untilWorks(() => signIn('probe'));
    return peer;
  } catch (error) {
    await peer[Symbol.asyncDispose]();
    throw error;
  }
}

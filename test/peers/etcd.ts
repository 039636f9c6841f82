import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, untilWorks } from './program.ts';
import { freePort } from '../helpers/free-port.ts';

const etcd = findProgram('etcd');

/** Why a store of keys cannot be started here; false when it can. */
export const etcdMissing: string | false = whyMissing();

/** Versions from 3.6 on speak the HTTP of version 2 no more. */
function whyMissing(): string | false {
  if (etcd === undefined) return 'etcd is not installed (Debian package etcd-server)';
  const help = execFileSync(etcd, ['--help'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return help.includes('--enable-v2') ? false : 'this etcd does not speak the HTTP of version 2';
}

/** A store of keys in which only `root` may read and write. */
export interface EtcdPeer extends AsyncDisposable {
  /** Scheme and authority. */
  readonly origin: string;
  readonly username: string;
  readonly password: string;
  /** What a key is in the store; undefined where there is none. */
  read(path: string): Promise<EtcdNode | undefined>;
}

/** A key as the store shows it. */
export interface EtcdNode {
  readonly key: string;
  readonly value?: string;
  /** Seconds until it is gone. */
  readonly ttl?: number;
  readonly dir?: boolean;
}

/** Starts etcd with its version 2 in a temporary directory, and keeps everybody but `root` out. */
export async function startEtcd(): Promise<EtcdPeer> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-etcd-'));
  const origin = `http://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const username = 'root';
  const password = 'pass: word';
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const places = { 'data-dir': directory, 'listen-client-urls': origin, 'advertise-client-urls': origin };
  const cluster = {
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `default=${peer}`,
  };
  const args = Object.entries({ ...places, ...cluster }).flatMap(([name, value]) => [`--${name}`, value]);
  const server = spawn(etcd ?? '', ['--enable-v2', ...args], { cwd: directory, stdio: 'ignore' });
  const ended = once(server, 'exit');
  const stop = async (): Promise<void> => {
    server.kill('SIGTERM');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  const put = async (path: string, body: unknown): Promise<void> => {
    const headers = { 'Content-Type': 'application/json', Authorization: authorization };
    const answer = await fetch(`${origin}/v2/auth/${path}`, { method: 'PUT', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };
  try {
    await untilWorks(() => put('users/root', { user: username, password }));
    await put('enable', {});
    await put('roles/guest', { role: 'guest', revoke: { kv: { read: ['/*'], write: ['/*'] } } });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    origin,
    username,
    password,
    async read(path) {
      const answer = await fetch(`${origin}/v2/keys/${path}`, { headers: { Authorization: authorization } });
      if (answer.status === 404) return undefined;
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return ((await answer.json()) as { node: EtcdNode }).node;
    },
    [Symbol.asyncDispose]: stop,
  };
}

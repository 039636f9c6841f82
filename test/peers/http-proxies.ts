import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, untilWorks } from './program.ts';
import { freePort } from '../helpers/free-port.ts';

/** A reverse proxy that hands everything to one back end. */
export interface ProxyPeer extends AsyncDisposable {
  readonly port: number;
}

/** Starts nginx (Debian: `nginx-light`) as a reverse proxy; undefined where it is not installed. */
export async function startNginxProxy(backEnd: number): Promise<ProxyPeer | undefined> {
  const program = findProgram('nginx');
  if (program === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'millrace-nginx-'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  for (const kind of temporary) mkdirSync(join(folder, kind));
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off;
master_process off;
worker_processes 1;
pid ${folder}/pid;
error_log ${folder}/error.log;
events {}
http {
  access_log off;
  ${temporary.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${backEnd};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_request_buffering off;
    }
  }
}
`,
  );
  return startProgram([program, '-p', folder, '-e', join(folder, 'error.log'), '-c', file], { port, folder });
}

/** Starts HAProxy (Debian: `haproxy`) as a reverse proxy; undefined where it is not installed. */
export async function startHaproxyProxy(backEnd: number): Promise<ProxyPeer | undefined> {
  const program = findProgram('haproxy');
  if (program === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'millrace-haproxy-'));
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    `defaults
  mode http
  timeout connect 5s
  timeout client 10s
  timeout server 10s
frontend front
  bind 127.0.0.1:${port}
  default_backend back
backend back
  server one 127.0.0.1:${backEnd}
`,
  );
  return startProgram([program, '-db', '-q', '-f', file], { port, folder });
}

async function startProgram(
  command: readonly string[],
  { port, folder }: { readonly port: number; readonly folder: string },
): Promise<ProxyPeer> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { stdio: 'ignore' });
  await untilWorks(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  });
  return {
    port,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Certificate } from './certificate.ts';
import { coreOf, isInstalled } from './machine.ts';
import { firstAnswer, pinned, start, type Running } from './process.ts';

/** A program that stands between the load and the back end. */
export interface Proxy extends Running {
  readonly name: string;
  /** Address that stands for the back end's root. */
  readonly url: string;
  /** The same over TLS, with HTTP/2 for those who want it. */
  readonly secureUrl: string;
}

/** Where a peer listens and whom it asks. */
export interface PeerPorts {
  readonly own: number;
  readonly secure: number;
  readonly backEnd: number;
}

/** Sizes of what the back end answers, by its path. */
const answers = { small: 600, large: 100 * 1024 } as const;

/** Where the back end listens. */
export interface BackEnd extends Running {
  readonly port: number;
}

/**
 * Starts the back end: `GET /small` and `GET /large` answer as many bytes as their names say, `POST` takes a body and
 * answers 600 bytes. nginx where it is installed, else Node.
 */
export async function startBackEnd(folder: string, port: number): Promise<BackEnd> {
  const files = join(folder, 'files');
  mkdirSync(files, { recursive: true });
  for (const [name, size] of Object.entries(answers)) writeFileSync(join(files, name), 'x'.repeat(size));
  const server = `
    server {
      listen 127.0.0.1:${port} backlog=4096;
      root ${files};
      open_file_cache max=10;
      default_type application/json;
      location /accept { return 200 "${'x'.repeat(answers.small)}"; }
    }`;
  const command = isInstalled('nginx', '-v')
    ? nginx(folder, 'back-end', server)
    : [process.execPath, join(import.meta.dirname, 'back-end.ts'), String(port)];
  const running = start(pinned(coreOf('back end'), command));
  await firstAnswer(running, `http://127.0.0.1:${port}/small`, performance.now());
  return { ...running, port };
}

/** Starts nginx as a reverse proxy with kept connections to the back end; undefined when it is not installed. */
export async function startNginx(
  folder: string,
  ports: PeerPorts,
  { key, certificate }: Certificate,
): Promise<Proxy | undefined> {
  if (!isInstalled('nginx', '-v')) return undefined;
  const server = `
    upstream back_end { server 127.0.0.1:${ports.backEnd}; keepalive 128; }
    server {
      listen 127.0.0.1:${ports.own} backlog=4096;
      listen 127.0.0.1:${ports.secure} ssl http2 backlog=4096;
      ssl_certificate ${certificate};
      ssl_certificate_key ${key};
      location /bench/ {
        proxy_pass http://back_end/;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
      }
    }`;
  return startProxy('nginx', nginx(folder, 'nginx', server), ports);
}

/** Starts HAProxy in the same role; undefined when it is not installed. */
export async function startHaproxy(
  folder: string,
  ports: PeerPorts,
  { both }: Certificate,
): Promise<Proxy | undefined> {
  if (!isInstalled('haproxy', '-v')) return undefined;
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    `global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend bench
  bind 127.0.0.1:${ports.own}
  bind 127.0.0.1:${ports.secure} ssl crt ${both} alpn h2,http/1.1
  http-request replace-path /bench(/.*) \\1
  default_backend back_end
backend back_end
  server one 127.0.0.1:${ports.backEnd}
`,
  );
  return startProxy('HAProxy', ['haproxy', '-db', '-q', '-f', file], ports);
}

async function startProxy(name: string, command: readonly string[], ports: PeerPorts): Promise<Proxy> {
  const running = start(pinned(coreOf('measured'), command));
  const url = `http://127.0.0.1:${ports.own}/bench`;
  await firstAnswer(running, `${url}/small`, performance.now());
  return { ...running, name, url, secureUrl: `https://127.0.0.1:${ports.secure}/bench` };
}

/** The command of an nginx in one process, with buffers that hold every body of the benchmark in memory. */
function nginx(folder: string, name: string, server: string): string[] {
  const own = join(folder, name);
  mkdirSync(own, { recursive: true });
  const file = join(own, 'nginx.conf');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${own}/${kind};`);
  writeFileSync(
    file,
    `daemon off;
master_process off;
worker_processes 1;
pid ${own}/pid;
error_log stderr warn;
events { worker_connections 4096; }
http {
  access_log off;
  sendfile on;
  tcp_nodelay on;
  keepalive_timeout 60s;
  keepalive_requests 1000000000;
  client_body_buffer_size 2m;
  client_max_body_size 0;
  proxy_buffers 32 16k;
  proxy_buffer_size 16k;
  proxy_busy_buffers_size 32k;
  proxy_max_temp_file_size 0;
  ${paths.join('\n  ')}
${server}
}
`,
  );
  return ['nginx', '-p', own, '-e', 'stderr', '-c', file];
}

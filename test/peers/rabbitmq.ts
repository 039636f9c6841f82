import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { connectAmqp } from '#transport';
import type { BrokerPeer } from './activemq.ts';
import { findProgram, untilWorks } from './program.ts';
import { freePort } from '../helpers/free-port.ts';

// The script on the search path changes to an account of its own.

const server = '/usr/lib/rabbitmq/bin/rabbitmq-server';
const epmd = findProgram('epmd');

/** Why RabbitMQ cannot be started here; false when it can. */
export const rabbitmqMissing: string | false =
  existsSync(server) && epmd !== undefined ? false : 'RabbitMQ is not installed (Debian package rabbitmq-server)';

export interface RabbitmqOptions {
  /** PEM files of the broker; it then offers TLS as well. */
  readonly tls?: { readonly certificate: string; readonly key: string };
}

export interface RabbitmqPeer extends BrokerPeer {
  /** 0 without TLS. */
  readonly tlsPort: number;
}

/** Starts RabbitMQ with an empty store in a temporary directory and waits until it takes connections. */
export async function startRabbitmq(options: RabbitmqOptions = {}): Promise<RabbitmqPeer> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-rabbitmq-'));
  const [port, distribution, names, tlsPort] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const config = join(directory, 'rabbitmq.conf');
  const tls = options.tls
    ? `listeners.ssl.1 = 127.0.0.1:${tlsPort}
ssl_options.cacertfile = ${options.tls.certificate}
ssl_options.certfile = ${options.tls.certificate}
ssl_options.keyfile = ${options.tls.key}
ssl_options.verify = verify_none
`
    : '';
  writeFileSync(config, `listeners.tcp.1 = 127.0.0.1:${port}\n${tls}`);
  const plugins = join(directory, 'enabled_plugins');
  writeFileSync(plugins, '[].\n');
  const env = {
    ...process.env,
    HOME: directory,
    RABBITMQ_NODENAME: `peer${port}@localhost`,
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_DIST_PORT: String(distribution),
    ERL_EPMD_PORT: String(names),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_MNESIA_BASE: join(directory, 'data'),
    RABBITMQ_LOG_BASE: join(directory, 'logs'),
    RABBITMQ_SCHEMA_DIR: join(directory, 'schema'),
    RABBITMQ_GENERATED_CONFIG_DIR: join(directory, 'config'),
    RABBITMQ_CONFIG_FILE: config,
    RABBITMQ_ADVANCED_CONFIG_FILE: join(directory, 'advanced.config'),
    RABBITMQ_CONF_ENV_FILE: join(directory, 'rabbitmq-env.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: plugins,
    RABBITMQ_PID_FILE: join(directory, 'pid'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 1:1',
  };
  const account = { username: 'guest', password: 'guest' };
  let running: { kill(signal: NodeJS.Signals): void; readonly ended: Promise<unknown> } | undefined;
  const peer: RabbitmqPeer = {
    host: '127.0.0.1',
    port,
    tlsPort: options.tls ? tlsPort : 0,
    ...account,
    async start() {
      const child = spawn(server, [], { cwd: directory, env, stdio: 'ignore' });
      running = { kill: (signal) => void child.kill(signal), ended: once(child, 'exit') };
      await untilWorks(async () => {
        const connection = await connectAmqp({ host: '127.0.0.1', port, ...account, virtualHost: '/' });
        await connection.close();
      });
    },
    async stop() {
      running?.kill('SIGTERM');
      await running?.ended;
      running = undefined;
    },
    async [Symbol.asyncDispose]() {
      await peer.stop();
      // The register of names that the broker started for itself.
      spawnSync(epmd ?? '', ['-port', String(names), '-kill'], { env, stdio: 'ignore' });
      rmSync(directory, { recursive: true, force: true });
    },
  };
  try {
    await peer.start();
  } catch (error) {
    await peer[Symbol.asyncDispose]();
    throw error;
  }
  return peer;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, untilWorks } from './program.ts';
import { freePort } from '../helpers/free-port.ts';

const java = findProgram('java');
const launcher = '/usr/share/activemq/bin/activemq.jar';

/** Why ActiveMQ cannot be started here; false when it can. */
export const activemqMissing: string | false =
  java !== undefined && existsSync(launcher) ? false : 'ActiveMQ is not installed (Debian package activemq)';

/** A broker that a test started; it keeps its port and its messages when it is stopped and started again. */
export interface BrokerPeer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts ActiveMQ Classic with an empty store in a temporary directory and waits until it takes connections. */
export async function startActivemq(): Promise<BrokerPeer> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-activemq-'));
  const port = await freePort();
  const account = { username: 'carrier', password: 'pass word' };
  mkdirSync(join(directory, 'conf'));
  const file = join(directory, 'conf/activemq.xml');
  writeFileSync(
    file,
    `<beans xmlns="http://www.springframework.org/schema/beans" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://www.springframework.org/schema/beans http://www.springframework.org/schema/beans/spring-beans-2.0.xsd http://activemq.apache.org/schema/core http://activemq.apache.org/schema/core/activemq-core.xsd">
  <broker xmlns="http://activemq.apache.org/schema/core" useJmx="false" brokerName="peer" dataDirectory="${directory}/data">
    <destinationPolicy><policyMap><policyEntries>
      <policyEntry queue="&gt;" prioritizedMessages="true"/>
    </policyEntries></policyMap></destinationPolicy>
    <plugins><simpleAuthenticationPlugin><users>
      <authenticationUser username="${account.username}" password="${account.password}" groups="users"/>
    </users></simpleAuthenticationPlugin></plugins>
    <persistenceAdapter><kahaDB directory="${directory}/data/kahadb" journalMaxFileLength="1mb"/></persistenceAdapter>
    <systemUsage><systemUsage>
      <storeUsage><storeUsage limit="64 mb"/></storeUsage>
      <tempUsage><tempUsage limit="64 mb"/></tempUsage>
    </systemUsage></systemUsage>
    <transportConnectors><transportConnector name="openwire" uri="tcp://127.0.0.1:${port}"/></transportConnectors>
  </broker>
</beans>
`,
  );
  const args = [
    '-Xmx128m',
    '-XX:TieredStopAtLevel=1',
    '-Dactivemq.home=/usr/share/activemq',
    `-Dactivemq.base=${directory}`,
    '-jar',
    launcher,
    'start',
    `xbean:file:${file}`,
  ];
  let running: { kill(signal: NodeJS.Signals): void; readonly ended: Promise<unknown> } | undefined;
  const peer: BrokerPeer = {
    host: '127.0.0.1',
    port,
    ...account,
    async start() {
      const child = spawn(java ?? '', args, { cwd: directory, stdio: 'ignore' });
      running = { kill: (signal) => void child.kill(signal), ended: once(child, 'exit') };
      await untilWorks(() => untilAnswers(port));
    },
    async stop() {
      running?.kill('SIGTERM');
      await running?.ended;
      running = undefined;
    },
    async [Symbol.asyncDispose]() {
      await peer.stop();
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

/** The broker speaks first: once it does, it takes commands. */
async function untilAnswers(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'data', { signal: AbortSignal.timeout(2000) });
  } finally {
    socket.destroy();
  }
}

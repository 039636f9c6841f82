import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { comesTrue } from './patience.ts';

/** The head of the answer that arrives on a connection after something was written, or what there is of it. */
export async function rawAnswer(url: string, request: Uint8Array): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let isClosed = false;
  socket.on('error', () => undefined).on('close', () => (isClosed = true));
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  socket.write(request);
  await comesTrue(() => isClosed || received.includes('\r\n\r\n'));
  socket.destroy();
  return received;
}

/** A port that accepts connections, never says anything, and closes them after so many milliseconds. */
export async function startSilentPort(lifetime: number): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    const timer = setTimeout(() => socket.destroy(), lifetime);
    socket.on('close', () => clearTimeout(timer));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A port on which nobody accepts: what connects waits until the port is gone. */
export interface FullPort extends AsyncDisposable {
  readonly port: number;
  /** Takes the port away after so many milliseconds. */
  endAfter(lifetime: number): void;
}

export async function startFullPort(): Promise<FullPort> {
  const listen = `require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {
    console.log(this.address().port); })`;
  const owner = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [text] = (await once(owner.stdout, 'data')) as [Buffer];
  const port = Number(text.toString());
  owner.kill('SIGSTOP');
  // The system completes a few handshakes for the backlog before it makes others wait.
  const fillers = Array.from({ length: 6 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  await pause(100);
  let timer: NodeJS.Timeout | undefined;
  return {
    port,
    endAfter: (lifetime) => void (timer = setTimeout(() => owner.kill('SIGKILL'), lifetime)),
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      for (const socket of fillers) socket.destroy();
      const ended = once(owner, 'exit');
      if (owner.exitCode === null && owner.signalCode === null && owner.kill('SIGKILL')) await ended;
    },
  };
}

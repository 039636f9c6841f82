import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';

/** What arrives on a connection after each piece was written and the line had been quiet for a moment. */
export async function rawAnswers(url: string, pieces: readonly (string | Uint8Array)[]): Promise<string[]> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  const answers: string[] = [];
  for (const piece of pieces) {
    socket.write(piece);
    await pause(150);
    answers.push(received);
    received = '';
  }
  socket.destroy();
  return answers;
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

/** A port on which nobody accepts: what connects waits until the port is gone, after so many milliseconds. */
export async function startFullPort(lifetime: number): Promise<AsyncDisposable & { readonly port: number }> {
  const listen = `require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {
    console.log(this.address().port); })`;
  const owner = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [text] = (await once(owner.stdout, 'data')) as [Buffer];
  const port = Number(text.toString());
  owner.kill('SIGSTOP');
  // The system completes a few handshakes for the backlog before it makes others wait.
  const fillers = Array.from({ length: 6 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  await pause(100);
  const timer = setTimeout(() => owner.kill('SIGKILL'), lifetime);
  return {
    port,
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      for (const socket of fillers) socket.destroy();
      const ended = once(owner, 'exit');
      if (owner.exitCode === null && owner.signalCode === null && owner.kill('SIGKILL')) await ended;
    },
  };
}

import { connect, createServer, type AddressInfo } from 'node:net';
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

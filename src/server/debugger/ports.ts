import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { getLogger } from '#core';
import { MillraceError, messageOf } from '#errors';

const log = getLogger('debugger');

/** Most characters of one command. */
const longestLine = 1_000_000;

/** The two ports of the debugger, both on the loopback interface. */
export interface DebuggerPorts extends AsyncDisposable {
  readonly command: number;
  readonly event: number;
}

export interface DebuggerPortOptions {
  readonly command: number;
  readonly event: number;
  /** Answers one command. */
  answer(line: string): unknown;
  /** The client has gone. */
  gone(): void;
}

/** Ports and the way to tell the client something; nothing is kept while there is no client. */
export async function openDebuggerPorts(
  options: DebuggerPortOptions,
): Promise<{ ports: DebuggerPorts; tell: (event: unknown) => void }> {
  let commander: Socket | undefined;
  let listener: Socket | undefined;
  const commands = createServer((socket) => {
    if (commander) {
      socket.destroy();
      return;
    }
    commander = socket;
    onLines(socket, (line) => send(socket, options.answer(line)));
    socket.on('close', () => {
      commander = undefined;
      listener?.destroy();
      options.gone();
    });
  });
  const events = createServer((socket) => {
    // The command port comes first; an event port without it has nobody who could let a message go on.
    if (listener || !commander) {
      socket.destroy();
      return;
    }
    listener = socket;
    socket.on('error', () => socket.destroy());
    socket.on('data', () => undefined);
    socket.on('close', () => {
      listener = undefined;
    });
  });
  const command = await listenOn(commands, options.command, 'synapse.command_debugger_port');
  let event: number;
  try {
    event = await listenOn(events, options.event, 'synapse.event_debugger_port');
  } catch (error) {
    commands.close();
    throw error;
  }
  log.warn({ command, event }, 'the debugger waits for a client on this machine: command port first, then event port');
  return {
    tell(told) {
      if (listener) send(listener, told);
    },
    ports: {
      command,
      event,
      async [Symbol.asyncDispose]() {
        commander?.destroy();
        listener?.destroy();
        await Promise.all([closed(commands), closed(events)]);
      },
    },
  };
}

function send(socket: Socket, value: unknown): void {
  socket.write(`${JSON.stringify(value)}\n`);
}

/** Calls `take` with each line; a line without end closes the connection. */
function onLines(socket: Socket, take: (line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('error', () => socket.destroy());
  socket.on('data', (text: string) => {
    const lines = `${rest}${text}`.split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') take(line);
    if (rest.length > longestLine) socket.destroy();
  });
}

function listenOn(server: Server, port: number, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const message = `The debugger cannot listen on 127.0.0.1:${port} (mediation.${key}): ${messageOf(error)}`;
      reject(new MillraceError({ code: 'MR_DEBUGGER_PORT', message }));
    });
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

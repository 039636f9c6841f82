import { createServer } from 'node:net';
import { openSmallServer, type SmallServer } from './small-server.ts';

/** A server that speaks enough of PostgreSQL's protocol 3.0 to take statements; every answer is empty. */
export interface SmallPostgresql extends SmallServer {
  /** What came, in order: `user NAME`, `database NAME`, `application_name NAME`, `password TEXT`, then the statements. */
  readonly received: readonly string[];
}

export interface SmallPostgresqlOptions {
  /** Milliseconds before a statement that begins so is answered. */
  readonly slow?: { readonly start: string; readonly milliseconds: number };
}

/** Starts one on a free port. */
export async function startSmallPostgresql({ slow }: SmallPostgresqlOptions = {}): Promise<SmallPostgresql> {
  const received: string[] = [];
  const server = createServer((socket) => {
    let pending: Buffer = Buffer.alloc(0);
    let hasStarted = false;
    const answer = (statement: string): void => {
      socket.write(Buffer.concat([message('C', `${statement.split(' ', 1)[0]?.toUpperCase()}\0`), message('Z', 'I')]));
    };
    socket.on('data', (bytes) => {
      pending = Buffer.concat([pending, Buffer.from(bytes)]);
      for (;;) {
        const head = hasStarted ? 1 : 0;
        if (pending.length < head + 4) return;
        const length = pending.readUInt32BE(head);
        if (pending.length < head + length) return;
        const kind = hasStarted ? String.fromCharCode(pending[0] ?? 0) : '';
        const body = pending.subarray(head + 4, head + length);
        pending = pending.subarray(head + length);
        if (!hasStarted) {
          hasStarted = true;
          const words = body.subarray(4).toString().split('\0');
          for (const name of ['user', 'database', 'application_name'])
            received.push(`${name} ${words[words.indexOf(name) + 1]}`);
          socket.write(message('R', Buffer.from([0, 0, 0, 3])));
        } else if (kind === 'p') {
          received.push(`password ${body.toString().replace('\0', '')}`);
          socket.write(Buffer.concat([message('R', Buffer.alloc(4)), message('Z', 'I')]));
        } else if (kind === 'Q') {
          const statement = body.toString().replace('\0', '');
          received.push(statement);
          if (slow && statement.startsWith(slow.start)) setTimeout(() => answer(statement), slow.milliseconds);
          else answer(statement);
        }
      }
    });
  });
  return Object.assign(await openSmallServer(server), { received });
}

function message(kind: string, body: string | Uint8Array): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(5);
  head.write(kind, 0, 'latin1');
  head.writeUInt32BE(bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
}

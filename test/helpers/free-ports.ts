import { createServer } from 'node:net';
import { freePorts } from './temporary-server.ts';

/** Below what systems give to outgoing connections, so that none of them takes a port between its choice and its use. */
const [first, last] = [20_000, 30_000];
const given = new Set<number>();

/** A port that nobody has now, and the one behind it; neither is given twice. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + 2 * Math.floor((Math.random() * (last - first)) / 2);
    if (given.has(port) || !(await isFree(port)) || !(await isFree(port + 1))) continue;
    given.add(port);
    return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}

/** A configuration whose ports are free when `offset` is added to them, which it says itself. */
export async function portsWithOffset(offset: number): Promise<string> {
  let text = freePorts;
  while (text.includes('port = 0\n')) text = text.replace('port = 0\n', `port = ${(await freePort()) - offset}\n`);
  return `${text}[server]\noffset = ${offset}\n`;
}

import { once } from 'node:events';
import { createServer } from 'node:net';
import process from 'node:process';

/**
 * Above the ports of servers without an offset and below those that the system gives to outgoing connections and to
 * whoever listens on port 0: nothing but a test that asks here takes one of them between its choice and its use.
 */
const [first, last] = [10_000, 30_000];

/** The ports that a server and its dashboard open, before an offset. */
const serverPorts = [8280, 8243, 9201, 9164, 9443, 9763, 9743];

const claimed = new Set<number>();

/** A port that is this process's own until it ends, and the one behind it. */
export async function freePort(): Promise<number> {
  return claimOne((start) => [start, start + 1]);
}

/** An offset with which every port of a server is this process's own until it ends. */
export async function freeOffset(): Promise<number> {
  const lowest = Math.min(...serverPorts);
  const start = await claimOne((candidate) => serverPorts.map((port) => candidate + port - lowest));
  return start - lowest;
}

/** Claims the ports that belong to some start; gives the start. */
async function claimOne(portsOf: (start: number) => readonly number[]): Promise<number> {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const start = first + Math.floor(Math.random() * (last - first));
    if (await claimAll(portsOf(start))) return start;
  }
  throw new Error('No free ports were found');
}

async function claimAll(ports: readonly number[]): Promise<boolean> {
  for (const port of ports) if (!(await claim(port))) return false;
  return true;
}

/** Makes a port this process's own; false when it is another's or in use. */
async function claim(port: number): Promise<boolean> {
  if (claimed.has(port)) return false;
  claimed.add(port);
  // A name in the system's own table, not in a folder: it goes when the process does, however it ends.
  if (process.platform === 'linux' && !(await listens(`\0millrace-test-port-${port}`, { keep: true }))) return false;
  return await listens(port, { keep: false });
}

/** Whether something can be listened on; `keep` goes on listening. */
async function listens(place: number | string, { keep }: { readonly keep: boolean }): Promise<boolean> {
  const server = createServer().unref();
  try {
    server.listen(place);
    await once(server, 'listening');
    if (keep) return true;
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}

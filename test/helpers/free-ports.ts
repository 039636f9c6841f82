import { createServer, type AddressInfo } from 'node:net';
import { freePorts } from './temporary-server.ts';

/** A port that nobody has now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A configuration whose ports are free when `offset` is added to them, which it says itself. */
export async function portsWithOffset(offset: number): Promise<string> {
  let text = freePorts;
  while (text.includes('port = 0\n')) text = text.replace('port = 0\n', `port = ${(await freePort()) - offset}\n`);
  return `${text}[server]\noffset = ${offset}\n`;
}

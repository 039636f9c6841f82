import { freePort } from './free-port.ts';
import { freePorts } from './temporary-server.ts';

/** A configuration whose ports are free when `offset` is added to them, which it says itself. */
export async function portsWithOffset(offset: number): Promise<string> {
  let text = freePorts;
  while (text.includes('port = 0\n')) text = text.replace('port = 0\n', `port = ${(await freePort()) - offset}\n`);
  return `${text}[server]\noffset = ${offset}\n`;
}

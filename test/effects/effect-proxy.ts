import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pair } from './effect-server.ts';

/** A forward proxy that answers for every target itself: its name, and the credentials that it got. */
async function startProxy(name: string): Promise<number> {
  const server = createServer((request, response) => {
    response.end(`${name} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`);
  });
  server.on('connect', (request, socket) => {
    const tls = { key: pair.privateKeyPem, cert: pair.certificatePem };
    const target = createTlsServer(tls, (_, response) => {
      response.end(`${name} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`);
    });
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    target.emit('connection', socket);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  // The rows need the port before they run, and whoever only reads them must be able to end.
  server.unref();
  return (server.address() as AddressInfo).port;
}

/** The ports of two such proxies. */
export const [one, two] = [await startProxy('one'), await startProxy('two')];

import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pair } from './effect-server.ts';
import type { EffectRow } from './effect-row.ts';

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

/**
 * Rows of the keys of a `[[…]]` of profiles, behind these lines.
 *
 * @param observe calls `localhost:1`
 */
export function profileRows(section: string, lines: string, observe: EffectRow['observe']): EffectRow[] {
  const all: Record<string, string> = {
    target_hosts: 'target_hosts = ["local.*"]\n',
    proxy_host: 'proxy_host = "127.0.0.1"\n',
    proxy_port: `proxy_port = ${one}\n`,
    proxy_username: 'proxy_username = "alice"\n',
  };
  const row = (name: string, [first, second]: readonly [EffectRow['first'], EffectRow['first']]): EffectRow => {
    const others = Object.entries(all).flatMap(([other, line]) => (other === name ? [] : [line]));
    return { key: `${section}.${name}`, first, second, given: `${lines}[[${section}]]\n${others.join('')}`, observe };
  };
  return [
    row('target_hosts', [['localhost'], ['other']]),
    row('proxy_host', ['127.0.0.1', 'no-such-host.invalid']),
    row('proxy_port', [one, two]),
    row('proxy_username', ['alice', 'bob']),
    row('proxy_password', ['pass', 'word']),
    row('bypass_hosts', [['other'], ['localhost']]),
  ];
}

import type { SocketClient } from './socket-back-end.ts';
import { freePorts, startTemporaryServer, type TemporaryServer } from './temporary-server.ts';

export const namespace = 'xmlns="http://ws.apache.org/ns/synapse"';
export const senders = `${freePorts}[transport.ws]\nsender.enable = true\n`;

interface Endpoint {
  readonly protocol?: string;
  readonly parameters?: Readonly<Record<string, string | number>>;
  readonly content?: string;
  readonly attributes?: string;
}

/** An endpoint `Door` with the sequence `take` and the fault sequence `failed`. */
export function door({
  protocol = 'ws',
  parameters = {},
  content = '',
  attributes = 'sequence="take"',
}: Endpoint = {}): string {
  const port = protocol.startsWith('http') ? 'port' : 'inbound.ws.port';
  const all = Object.entries({ [port]: 0, ...parameters }).map(
    ([name, value]) => `<parameter name="${name}">${value}</parameter>`,
  );
  return `<inboundEndpoint ${namespace} name="Door" protocol="${protocol}" onError="failed" ${attributes}>
    <parameters>${all.join('')}</parameters>${content}</inboundEndpoint>`;
}

export function sequence(name: string, content: string): Record<string, string> {
  return { [`artifacts/sequences/${name}.xml`]: `<sequence ${namespace} name="${name}">${content}</sequence>` };
}

export const place = 'artifacts/inbound-endpoints/door.xml';
export const isHandshake = `get-property('websocket.source.handshake.present')`;

/** What a sequence does with frames; handshakes are let in, and ends of clients do nothing. */
export function forFrames(content: string): string {
  const left = `<filter xpath="get-property('connection.terminate') = true()"><then><drop/></then><else>${content}</else></filter>`;
  return `<filter xpath="${isHandshake} = true()"><then/><else>${left}</else></filter>`;
}

export const echo = forFrames('<respond/>');
export const text = (format: string, ...expressions: string[]): string =>
  `<payloadFactory media-type="text"><format>${format}</format><args>${expressions.map((each) => `<arg expression="${each}"/>`).join('')}</args></payloadFactory>`;

export async function serve(
  endpoint: string,
  files: Readonly<Record<string, string>>,
  configuration = senders,
): Promise<TemporaryServer> {
  return startTemporaryServer({ ...files, [place]: endpoint }, configuration);
}

export function urlOf({ server }: TemporaryServer): string {
  const url = server.addresses.find(({ name }) => name === 'inbound endpoint Door')?.url ?? '';
  return url.replace(/^http/, 'ws');
}

export async function ask({ socket, next }: SocketClient, frame: string | Buffer): Promise<string> {
  socket.send(frame);
  return next();
}

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { freePort } from '../helpers/free-port.ts';
import { portsWithOffset } from '../helpers/free-ports.ts';
import { freePorts } from '../helpers/temporary-server.ts';
import type { EffectRow } from './effect-row.ts';
import { inServer, startBackEnd } from './effect-server.ts';

const synapse = 'xmlns="http://ws.apache.org/ns/synapse"';
const port = await freePort();

/** The port that an inbound endpoint really has. */
async function portOf(text: string): Promise<string | undefined> {
  const inbound = `<inboundEndpoint ${synapse} name="I" protocol="http" sequence="main">
    <parameters><parameter name="inbound.http.port">${port}</parameter></parameters></inboundEndpoint>`;
  return await inServer(text, { 'artifacts/inbound-endpoints/i.xml': inbound }, async ({ server }) => {
    const found = server.addresses.find(({ name }) => name === 'inbound endpoint I');
    return Promise.resolve(found && new URL(found.url).port);
  });
}

/** How many files an endpoint takes at once that is not sequential. */
async function filesAtOnce(text: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-files-'));
  let most = 0;
  let present = 0;
  await using backEnd = await startBackEnd((_request, response) => {
    most = Math.max(most, ++present);
    void pause(100).then(() => {
      present--;
      return response.end();
    });
  });
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), name);
  const parameters = `<parameter name="sequential">false</parameter><parameter name="interval">10</parameter>
    <parameter name="transport.vfs.FileURI">${pathToFileURL(folder).href}</parameter>`;
  const files = {
    'artifacts/inbound-endpoints/f.xml': `<inboundEndpoint ${synapse} name="F" protocol="file" sequence="take"><parameters>${parameters}</parameters></inboundEndpoint>`,
    'artifacts/sequences/take.xml': `<sequence ${synapse} name="take"><call><endpoint><address uri="${backEnd.url}/"/></endpoint></call></sequence>`,
  };
  await inServer(text, files, async () => {
    while (readdirSync(folder).length > 0) await pause(10);
  });
  rmSync(folder, { recursive: true });
  return most;
}

const threads = (line: string): string => freePorts.replace('[mediation]\n', `[mediation]\n${line}\n`);

export const rows: readonly EffectRow[] = [
  {
    key: 'mediation.inbound.port_offset_enable',
    first: false,
    second: true,
    given: await portsWithOffset(1),
    observe: (_, text) => portOf(text),
  },
  {
    key: 'mediation.inbound.core_threads',
    first: 1,
    second: 3,
    given: threads('"inbound.max_threads" = 1'),
    observe: (_, text) => filesAtOnce(text),
  },
  {
    key: 'mediation.inbound.max_threads',
    first: 1,
    second: 3,
    given: threads('"inbound.core_threads" = 1'),
    observe: (_, text) => filesAtOnce(text),
  },
];

import { freePort, portsWithOffset } from '../helpers/free-ports.ts';
import type { EffectRow } from './effect-row.ts';
import { inServer } from './effect-server.ts';

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

export const rows: readonly EffectRow[] = [
  {
    key: 'mediation.inbound.port_offset_enable',
    first: false,
    second: true,
    given: await portsWithOffset(1),
    observe: (_, text) => portOf(text),
  },
];

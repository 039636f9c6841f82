import type { EffectRow } from './effect-row.ts';
import { inServer, outcome, ports } from './effect-server.ts';

const proxy = `<proxy xmlns="http://ws.apache.org/ns/synapse" name="Quote">
  <target><inSequence><respond/></inSequence></target>
</proxy>`;

/** The addresses in the WSDL of a service that begin like this. */
const addressesIn = (text: string, start: string): Promise<string[]> =>
  inServer(text, { 'artifacts/proxy-services/Quote.xml': proxy }, async (server) => {
    const answer = await outcome(`${server.url('API HTTP')}/services/Quote?wsdl`);
    return [...answer.matchAll(/location="([^"]+Endpoint)"/g)]
      .map((match) => match[1] ?? '')
      .filter((address) => address.startsWith(start));
  });

export const rows: readonly EffectRow[] = [
  {
    key: 'transport.passthru_http.listener.parameters.WSDLEPRPrefix',
    first: 'http://public.example/esb',
    second: 'http://other.example',
    given: ports,
    observe: (_, text) => addressesIn(text, 'http:'),
  },
  {
    key: 'transport.passthru_https.listener.parameters.WSDLEPRPrefix',
    first: 'https://public.example/esb',
    second: 'https://other.example',
    given: ports,
    observe: (_, text) => addressesIn(text, 'https:'),
  },
];

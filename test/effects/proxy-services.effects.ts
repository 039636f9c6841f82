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

const addressed = `<proxy xmlns="http://ws.apache.org/ns/synapse" name="Quote">
  <target><inSequence><respond/></inSequence></target>
  <enableAddressing/>
</proxy>`;

/** What a client is told that wants its answer at an address of its own. */
const wantsReplyElsewhere = (text: string): Promise<string> =>
  inServer(text, { 'artifacts/proxy-services/Quote.xml': addressed }, (server) =>
    outcome(`${server.url('API HTTP')}/services/Quote`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/xml', SOAPAction: '""' },
      body: `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Header><a:ReplyTo xmlns:a="http://www.w3.org/2005/08/addressing"><a:Address>http://127.0.0.1:1/replies</a:Address></a:ReplyTo></s:Header><s:Body><q/></s:Body></s:Envelope>`,
    }),
  );

export const rows: readonly EffectRow[] = [
  {
    key: 'millrace.reply_addresses',
    first: [],
    second: ['http://127.0.0.1:1/'],
    given: ports,
    observe: (_, text) => wantsReplyElsewhere(text),
  },
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

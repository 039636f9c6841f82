import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { configureLog } from '#core';
import { childElements, getAttribute, headerOf, ownText, parseXml, type XmlElement } from '#xml';
import { answerStockQuote, stockQuoteRequest, stockQuoteWsdl } from '../helpers/stock-quote-service.ts';
import { parseHttp } from '../helpers/case-file.ts';
import { freePorts, startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';

const namespace = 'xmlns="http://ws.apache.org/ns/synapse"';
const addressingVersions = {
  final: 'http://www.w3.org/2005/08/addressing',
  submission: 'http://schemas.xmlsoap.org/ws/2004/08/addressing',
};
let backEnd: Server;
let server: TemporaryServer;

/** Takes one answer that goes to a `ReplyTo`. */
let takeReply: ((body: string) => void) | undefined;

before(async () => {
  configureLog({ level: 'silent', format: 'json' });
  backEnd = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = `http://${request.headers.host ?? ''}${request.url ?? ''}`;
      const body = Buffer.concat(chunks).toString('utf8');
      if (request.url?.startsWith('/replies/')) {
        takeReply?.(body);
        response.writeHead(202).end();
        return;
      }
      const answer = parseHttp(answerStockQuote({ line: `${request.method ?? ''} ${url}`, body }));
      response.writeHead(Number(answer.first.slice(0, 3)), answer.headers);
      response.end(answer.body);
    });
  });
  await new Promise<void>((resolve) => backEnd.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(backEnd.address() as AddressInfo).port}/services/SimpleStockQuoteService`;
  const schema = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:imported"/>';
  const imported = '<xs:import namespace="urn:imported" schemaLocation="types/imported.xsd"/>';
  const wsdl = stockQuoteWsdl(url).replace(/(<xs:schema [^>]*>)/, `$1${imported}`);
  server = await startTemporaryServer(
    {
      'artifacts/endpoints/Back.xml': `<endpoint ${namespace} name="Back"><address uri="${url}"/></endpoint>`,
      'artifacts/proxy-services/Quote.xml': `<proxy ${namespace} name="Quote"><target endpoint="Back"/><publishWSDL key="gov:stock.wsdl"/></proxy>`,
      'artifacts/proxy-services/Fetched.xml': `<proxy ${namespace} name="Fetched"><target endpoint="Back"/><publishWSDL uri="${url}?wsdl"/></proxy>`,
      'artifacts/proxy-services/Secure.xml': `<proxy ${namespace} name="Secure" transports="https"><target endpoint="Back"/></proxy>`,
      'artifacts/proxy-services/Addressed.xml': `<proxy ${namespace} name="Addressed"><target endpoint="Back"/><publishWSDL key="gov:stock.wsdl"/><enableAddressing/></proxy>`,
      'artifacts/proxy-services/Stopped.xml': `<proxy ${namespace} name="Stopped" startOnLoad="false"><target endpoint="Back"/></proxy>`,
      'registry/governance/stock.wsdl': wsdl,
      'registry/governance/types/imported.xsd': schema,
    },
    `${freePorts}[passthru_http]\nhttp.block_service_list = false\n[millrace]\nreply_addresses = ["${new URL(url).origin}/replies"]\n`,
  );
});

after(async () => {
  await server[Symbol.asyncDispose]();
  backEnd.close();
  configureLog({ level: 'info', format: 'json' });
});

/** Sends a request that is written as on the wire. */
async function send(url: string, text: string): Promise<{ status: number; type: string; body: string }> {
  const { first, headers, body } = parseHttp(text);
  const [method = 'GET'] = first.split(' ');
  const pairs = Array.from({ length: headers.length / 2 }, (_, index): [string, string] => [
    headers[index * 2] ?? '',
    headers[index * 2 + 1] ?? '',
  ]);
  const response = await fetch(url, { method, headers: pairs, ...(body === '' ? {} : { body }) });
  return { status: response.status, type: response.headers.get('Content-Type') ?? '', body: await response.text() };
}

async function documentAt(url: string): Promise<XmlElement> {
  const response = await fetch(url);
  assert.equal(response.status, 200, url);
  return parseXml(await response.text()).root;
}

/** Every attribute of that name in a document, with its element. */
function valuesOf(element: XmlElement, attribute: string): string[] {
  const own = getAttribute(element, attribute);
  return [
    ...(own === undefined ? [] : [own]),
    ...childElements(element).flatMap((child) => valuesOf(child, attribute)),
  ];
}

for (const kind of ['soap11', 'soap12', 'pox'] as const) {
  test(`a quote comes back in the form of its request: ${kind}`, async () => {
    const path = '/services/Quote';
    const answer = await send(server.url('API HTTP') + path, stockQuoteRequest(path, 'getQuote', kind));
    assert.equal(answer.status, 200);
    assert.match(answer.body, /<ax21:symbol>IBM<\/ax21:symbol>/);
    const types = { soap11: /^text\/xml/, soap12: /^application\/soap\+xml/, pox: /^application\/xml/ };
    assert.match(answer.type, types[kind]);
  });
}

test('a one-way order gets 202', async () => {
  const path = '/services/Quote';
  const answer = await send(server.url('API HTTP') + path, stockQuoteRequest(path, 'placeOrder', 'soap11'));
  assert.deepEqual([answer.status, answer.body], [202, '']);
});

test('every HTTP address in the published WSDL takes messages, and every import is there', async () => {
  const base = server.url('API HTTP');
  const root = await documentAt(`${base}/services/Quote?wsdl`);
  const locations = valuesOf(root, 'location').filter((location) => location.includes('/services/'));
  assert.ok(locations.some((location) => location.startsWith('https://')));
  const plain = locations.filter((location) => location.startsWith('http://') && location.includes('Soap11'));
  assert.equal(plain.length, 1);
  for (const location of plain) {
    const { port, pathname } = new URL(location);
    assert.equal(port, new URL(base).port);
    const answer = await send(base + pathname, stockQuoteRequest(pathname, 'getQuote', 'soap11'));
    assert.equal(answer.status, 200, location);
  }
  const imports = valuesOf(root, 'schemaLocation');
  assert.equal(imports.length, 1);
  for (const location of imports) {
    const schema = await documentAt(new URL(location, `${base}/services/`).href);
    assert.equal(getAttribute(schema, 'targetNamespace'), 'urn:imported');
  }
});

test('a WSDL of another server is fetched, and led to this one', async () => {
  const base = server.url('API HTTP');
  const root = await documentAt(`${base}/services/Fetched?wsdl`);
  const locations = valuesOf(root, 'location').filter((location) => location.includes('/services/'));
  assert.ok(locations.length > 0 && locations.every((location) => location.includes('/services/Fetched.')));
});

test('a WSDL of version 2.0 says the same operations', async () => {
  const root = await documentAt(`${server.url('API HTTP')}/services/Quote?wsdl2`);
  assert.equal(root.uri, 'http://www.w3.org/ns/wsdl');
  assert.ok(valuesOf(root, 'name').includes('placeOrder'));
});

for (const kind of ['soap11', 'soap12'] as const) {
  for (const [name, uri] of Object.entries(addressingVersions)) {
    test(`an answer relates to its request by WS-Addressing ${name}: ${kind}`, async () => {
      const path = '/services/Addressed';
      const header = `<a:Action xmlns:a="${uri}">urn:getQuote</a:Action><a:MessageID xmlns:a="${uri}">uuid:42</a:MessageID>`;
      const request = stockQuoteRequest(path, 'getQuote', kind).replace(
        '<soapenv:Body>',
        `<soapenv:Header>${header}</soapenv:Header><soapenv:Body>`,
      );
      const answer = await send(server.url('API HTTP') + path, request);
      assert.equal(answer.status, 200);
      const blocks = childElements(headerOf(parseXml(answer.body).root));
      assert.ok(blocks.every((block) => block.uri === uri));
      const texts = new Map(blocks.map((block) => [block.local, ownText(block)]));
      assert.equal(texts.get('RelatesTo'), 'uuid:42');
      assert.equal(texts.get('Action'), 'urn:getQuoteResponse');
      assert.match(texts.get('To') ?? '', /anonymous$/);
      assert.match(texts.get('MessageID') ?? '', /^urn:uuid:/);
    });
  }
}

test('an answer goes to an address that is allowed, and to no other', async () => {
  const path = '/services/Addressed';
  const { port } = backEnd.address() as AddressInfo;
  const asking = (address: string): Promise<{ status: number; body: string }> => {
    const uri = addressingVersions.final;
    const header = `<a:MessageID xmlns:a="${uri}">uuid:43</a:MessageID><a:ReplyTo xmlns:a="${uri}"><a:Address>${address}</a:Address></a:ReplyTo>`;
    const request = stockQuoteRequest(path, 'getQuote', 'soap12').replace(
      '<soapenv:Body>',
      `<soapenv:Header>${header}</soapenv:Header><soapenv:Body>`,
    );
    return send(server.url('API HTTP') + path, request);
  };
  const arrived = new Promise<string>((resolve) => (takeReply = resolve));
  const answer = await asking(`http://127.0.0.1:${port}/replies/1`);
  assert.deepEqual([answer.status, answer.body], [202, '']);
  const reply = parseXml(await arrived).root;
  const texts = new Map(childElements(headerOf(reply)).map((block) => [block.local, ownText(block)]));
  assert.equal(texts.get('RelatesTo'), 'uuid:43');
  assert.equal(texts.get('To'), `http://127.0.0.1:${port}/replies/1`);
  const refused = await asking(`http://127.0.0.1:${port}/replies-of-others/1`);
  assert.equal(refused.status, 500);
  assert.match(refused.body, /OnlyAnonymousAddressSupported/);
});

test('a HEAD of the WSDL has its type and no body', async () => {
  const response = await fetch(`${server.url('API HTTP')}/services/Quote?wsdl`, { method: 'HEAD' });
  assert.deepEqual([response.status, await response.text()], [200, '']);
  assert.match(response.headers.get('Content-Type') ?? '', /^text\/xml/);
});

test('the list of services has those of its listener, and says which are inactive', async () => {
  const answer = await send(`${server.url('API HTTP')}/services/`, 'GET / HTTP/1.1');
  assert.equal(answer.status, 200);
  assert.match(answer.body, /href="\/services\/Quote\?wsdl"/);
  assert.match(answer.body, /Stopped \(inactive\)/);
  assert.doesNotMatch(answer.body, /Secure/);
});

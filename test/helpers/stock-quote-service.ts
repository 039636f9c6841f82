import {
  bodyOf,
  childElements,
  createEnvelope,
  deepText,
  firstElement,
  parseXml,
  serializeXml,
  soapVersionOf,
} from '#xml';
import type { SoapVersion, XmlElement } from '#xml';

/** A request to the service, as on the wire. */
export interface StockQuoteRequest {
  /** Method and absolute URL. */
  readonly line: string;
  readonly body: string;
}

const services = 'http://services.samples';
const types = 'http://services.samples/xsd';

/** What the operations answer; undefined for the one-way operation. */
const operations: Readonly<Record<string, (request: XmlElement) => string | undefined>> = {
  getQuote: (request) => response('getQuote', `<ns:return>${quote(symbolsIn(request)[0] ?? '')}</ns:return>`),
  getSimpleQuote: (request) =>
    response('getSimpleQuote', `<ns:return>${quote(symbolsIn(request)[0] ?? '')}</ns:return>`),
  getFullQuote: (request) =>
    response('getFullQuote', `<ns:return>${tradingDays(symbolsIn(request)[0] ?? '')}</ns:return>`),
  getMarketActivity: (request) =>
    response(
      'getMarketActivity',
      `<ns:return>${symbolsIn(request)
        .map((symbol) => `<ax21:quotes>${quote(symbol)}</ax21:quotes>`)
        .join('')}</ns:return>`,
    ),
  placeOrder: () => undefined,
};

/**
 * A stock-quote service for the artifacts of others that expect one: `getQuote`, `getSimpleQuote`, `getFullQuote`,
 * `getMarketActivity` and the one-way `placeOrder`, in both SOAP versions and as plain XML, and its WSDL. Figures
 * depend on the symbol only; the symbol `ERR` is a fault.
 *
 * @returns an HTTP answer as text
 */
export function answerStockQuote({ line, body }: StockQuoteRequest): string {
  const [method = '', url = ''] = line.split(' ');
  if (method === 'GET' && /\?wsdl\b/i.test(url))
    return answer(200, 'text/xml', stockQuoteWsdl(url.split('?', 1)[0] ?? ''));
  const content = body.trim() === '' ? undefined : readRequest(body);
  if (!content) return answer(500, 'text/xml', fault('soap11', 'A request in XML was expected'));
  const { element, version } = content;
  const operation = operations[element.local];
  const type = version === 'soap12' ? 'application/soap+xml' : version ? 'text/xml' : 'application/xml';
  if (!operation) return answer(500, type, fault(version ?? 'soap11', `There is no operation ${element.local}`));
  if (symbolsIn(element).includes('ERR')) {
    return answer(500, type, fault(version ?? 'soap11', 'Invalid stock symbol : ERR'));
  }
  const result = operation(element);
  if (result === undefined) return '202 Accepted';
  return answer(200, type, version ? serializeXml(createEnvelope(version, [parseXml(result).root])) : result);
}

function readRequest(body: string): { element: XmlElement; version: SoapVersion | undefined } | undefined {
  if (!body.trimStart().startsWith('<')) return undefined;
  const { root } = parseXml(body);
  const version = soapVersionOf(root);
  const element = version ? firstElement(bodyOf(root)) : root;
  return element && { element, version };
}

/** The texts of every `symbol` in a request. */
function symbolsIn(element: XmlElement): string[] {
  return childElements(element).flatMap((child) =>
    child.local === 'symbol' ? [deepText(child).trim()] : symbolsIn(child),
  );
}

function response(operation: string, content: string): string {
  return `<ns:${operation}Response xmlns:ns="${services}" xmlns:ax21="${types}">${content}</ns:${operation}Response>`;
}

/** A figure between 50 and 150 that belongs to a symbol. */
function priceOf(symbol: string): number {
  let sum = 0;
  for (const sign of symbol) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 10_000;
  return 50 + sum / 100;
}

function quote(symbol: string): string {
  const price = priceOf(symbol);
  const fields: Readonly<Record<string, string>> = {
    change: '1.25',
    earnings: '12.5',
    high: (price + 2).toFixed(2),
    last: price.toFixed(2),
    lastTradeTimestamp: 'Mon Jan 05 12:00:00 UTC 2026',
    low: (price - 2).toFixed(2),
    marketCap: '5.5E7',
    name: `${symbol} Company`,
    open: (price - 1).toFixed(2),
    peRatio: '24.5',
    percentageChange: '1.5',
    prevClose: (price - 1.25).toFixed(2),
    symbol,
    volume: '17949',
  };
  return Object.entries(fields)
    .map(([name, value]) => `<ax21:${name}>${escape(value)}</ax21:${name}>`)
    .join('');
}

function tradingDays(symbol: string): string {
  return [0, 1, 2]
    .map(
      (day) =>
        `<ax21:tradeHistory><ax21:day>${day}</ax21:day><ax21:quote>${quote(symbol)}</ax21:quote></ax21:tradeHistory>`,
    )
    .join('');
}

function fault(version: SoapVersion, reason: string): string {
  const text = escape(reason);
  return version === 'soap11'
    ? `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><faultcode>s:Server</faultcode><faultstring>${text}</faultstring></s:Fault></s:Body></s:Envelope>`
    : `<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body><s:Fault><s:Code><s:Value>s:Receiver</s:Value></s:Code><s:Reason><s:Text xml:lang="en">${text}</s:Text></s:Reason></s:Fault></s:Body></s:Envelope>`;
}

function answer(status: number, contentType: string, body: string): string {
  return `${status} ${status === 200 ? 'OK' : 'Error'}\nContent-Type: ${contentType}; charset=UTF-8\n\n${body}`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** The WSDL of the service at an address. */
export function stockQuoteWsdl(address: string): string {
  const named = Object.keys(operations).map((name) => ({ name, isOneWay: name === 'placeOrder' }));
  const elements = named
    .flatMap(({ name, isOneWay }) => [name, ...(isOneWay ? [] : [`${name}Response`])])
    .map(
      (name) =>
        `<xs:element name="${name}"><xs:complexType><xs:sequence><xs:any processContents="skip" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>`,
    );
  const message = (name: string, element: string): string =>
    `<wsdl:message name="${name}"><wsdl:part name="parameters" element="tns:${element}"/></wsdl:message>`;
  const messages = named.flatMap(({ name, isOneWay }) => [
    message(`${name}Request`, name),
    ...(isOneWay ? [] : [message(`${name}Response`, `${name}Response`)]),
  ]);
  const portType = named.map(
    ({ name, isOneWay }) =>
      `<wsdl:operation name="${name}"><wsdl:input message="tns:${name}Request"/>${isOneWay ? '' : `<wsdl:output message="tns:${name}Response"/>`}</wsdl:operation>`,
  );
  const binding = named.map(
    ({ name, isOneWay }) =>
      `<wsdl:operation name="${name}"><soap:operation soapAction="urn:${name}" style="document"/><wsdl:input><soap:body use="literal"/></wsdl:input>${isOneWay ? '' : '<wsdl:output><soap:body use="literal"/></wsdl:output>'}</wsdl:operation>`,
  );
  return `<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:tns="${services}" targetNamespace="${services}"><wsdl:types><xs:schema targetNamespace="${services}" elementFormDefault="qualified">${elements.join('')}</xs:schema></wsdl:types>${messages.join('')}<wsdl:portType name="SimpleStockQuoteServicePortType">${portType.join('')}</wsdl:portType><wsdl:binding name="SimpleStockQuoteServiceSoap11Binding" type="tns:SimpleStockQuoteServicePortType"><soap:binding transport="http://schemas.xmlsoap.org/soap/http" style="document"/>${binding.join('')}</wsdl:binding><wsdl:service name="SimpleStockQuoteService"><wsdl:port name="SimpleStockQuoteServiceHttpSoap11Endpoint" binding="tns:SimpleStockQuoteServiceSoap11Binding"><soap:address location="${address}"/></wsdl:port></wsdl:service></wsdl:definitions>`;
}

/** A request of one of the operations, as on the wire. */
export function stockQuoteRequest(path: string, operation: string, kind: SoapVersion | 'pox'): string {
  const content =
    operation === 'placeOrder'
      ? `<m:placeOrder xmlns:m="${services}"><m:order><m:price>3.14</m:price><m:quantity>5</m:quantity><m:symbol>IBM</m:symbol></m:order></m:placeOrder>`
      : `<m:${operation} xmlns:m="${services}"><m:request><m:symbol>IBM</m:symbol></m:request></m:${operation}>`;
  const type = {
    soap11: 'text/xml',
    soap12: `application/soap+xml; action="urn:${operation}"`,
    pox: 'application/xml',
  }[kind];
  const lines = [`POST ${path} HTTP/1.1`, `Content-Type: ${type}`];
  if (kind === 'soap11') lines.push(`SOAPAction: "urn:${operation}"`);
  const body = kind === 'pox' ? content : serializeXml(createEnvelope(kind, [parseXml(content).root]));
  return [...lines, '', body].join('\n');
}

import { getLogger } from '#core';
import { messageOf } from '#errors';
import { Fault, faultFields } from '#mediation';
import type { Message } from '#message';
import type { HttpRequest } from '#transport';
import { createEnvelope, bodyOf, appendChild, escapeText, serializeXml, XmlElement, XmlText } from '#xml';
import type { HttpExchange } from './exchange.ts';

const log = getLogger('entry');

/**
 * Answers a message that failed with no handler left: status 500 with a SOAP fault for SOAP clients and a plain
 * `<Exception>` for others (runtime-core 7.2). The cause goes to the log only.
 */
export function answerUnhandledFault(
  { exchange, request, message }: { exchange: HttpExchange; request: HttpRequest; message: Message },
  error: unknown,
): void {
  const fields = error instanceof Fault ? faultFields(error) : { err: error };
  log.error({ ...fields, target: request.target, message: message.id }, 'a message failed and nothing handled it');
  message.payload.discard();
  const text = error instanceof Fault ? (messageOf(error).split('\n', 1)[0] ?? '') : 'Internal error';
  const contentType = message.header('Content-Type') ?? '';
  const isSoap = message.header('SOAPAction') !== undefined || contentType.startsWith('application/soap+xml');
  if (isSoap) exchange.answerText(500, 'text/xml; charset=UTF-8', soapFault(text));
  else exchange.answerText(500, 'application/xml; charset=UTF-8', `<Exception>${escapeText(text)}</Exception>`);
}

function soapFault(reason: string): string {
  const envelope = createEnvelope('soap11');
  const fault = new XmlElement('Fault', envelope.uri, envelope.prefix);
  for (const [local, text] of [
    ['faultcode', 'soapenv:Server'],
    ['faultstring', reason],
  ] as const) {
    const child = new XmlElement(local);
    appendChild(child, new XmlText(text));
    appendChild(fault, child);
  }
  appendChild(bodyOf(envelope), fault);
  return serializeXml(envelope);
}

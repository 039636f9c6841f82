import { mediaTypeOfVersion, soapVersionOfClient } from '#mediation';
import { convertedEnvelope, type Message } from '#message';
import {
  appendChild,
  bodyOf,
  createEnvelope,
  escapeText,
  serializeXml,
  XmlElement,
  XmlText,
  type SoapVersion,
} from '#xml';
import type { HttpExchange } from './exchange.ts';

/** What a client is told about a failure that no flow answers. */
export interface EngineFault {
  readonly reason: string;
  /** The name of the fault in SOAP 1.1: `Client` for what the client did wrong, else `Server`. */
  readonly code?: 'Client' | 'Server';
  readonly status?: number;
  /** The more exact code of SOAP 1.2, or of SOAP 1.1 in its stead. */
  readonly subcode?: { readonly uri: string; readonly prefix: string; readonly local: string };
}

/** Answers with a fault: a SOAP fault in the version of the client, and `<Exception>` for others (runtime-core 7.2). */
export function answerFault(exchange: HttpExchange, message: Message, fault: EngineFault): void {
  const version = soapVersionOfClient(message);
  const status = fault.status ?? 500;
  if (version) {
    const text = serializeXml(faultEnvelope(version, fault));
    exchange.answerText(status, `${mediaTypeOfVersion(version)}; charset=UTF-8`, text);
  } else {
    exchange.answerText(status, 'application/xml; charset=UTF-8', `<Exception>${escapeText(fault.reason)}</Exception>`);
  }
}

/** An envelope with a fault. */
export function faultEnvelope(version: SoapVersion, { reason, code = 'Server', subcode }: EngineFault): XmlElement {
  const envelope = createEnvelope('soap11');
  const fault = new XmlElement('Fault', envelope.uri, envelope.prefix);
  const isPlain = version === 'soap12' || !subcode;
  const name = isPlain ? `${envelope.prefix}:${code}` : `${subcode.prefix}:${subcode.local}`;
  if (subcode) fault.declarations.push({ prefix: subcode.prefix, uri: subcode.uri });
  appendChild(fault, textElement('faultcode', name));
  appendChild(fault, textElement('faultstring', reason));
  appendChild(bodyOf(envelope), fault);
  if (version === 'soap11') return envelope;
  const converted = convertedEnvelope(envelope, 'soap12');
  if (subcode) addSubcode(converted, subcode);
  return converted;
}

function addSubcode(envelope: XmlElement, { uri, prefix, local }: NonNullable<EngineFault['subcode']>): void {
  const code = bodyOf(envelope).children.flatMap((fault) =>
    fault.kind === 'element' ? (fault.children[0] ?? []) : [],
  )[0];
  if (code?.kind !== 'element') return;
  const subcode = new XmlElement('Subcode', envelope.uri, envelope.prefix);
  const value = new XmlElement('Value', envelope.uri, envelope.prefix);
  value.declarations.push({ prefix, uri });
  appendChild(value, new XmlText(`${prefix}:${local}`));
  appendChild(subcode, value);
  appendChild(code, subcode);
}

function textElement(local: string, text: string): XmlElement {
  const element = new XmlElement(local);
  appendChild(element, new XmlText(text));
  return element;
}

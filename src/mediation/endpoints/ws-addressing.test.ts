import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Message, Payload } from '#message';
import { childElements, deepText, headerOf, parseXml } from '#xml';
import { addAddressing } from './ws-addressing.ts';
import { silentExchange } from '../../../test/helpers/silent-exchange.ts';

function messageWith(header: string): Message {
  const payload = new Payload();
  const text = `<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Header>${header}</s:Header><s:Body/></s:Envelope>`;
  payload.setEnvelope(parseXml(text).root);
  return new Message(silentExchange(), payload, ['SOAPAction', '"urn:from header"']);
}

function headersOf(message: Message): string[] {
  return childElements(headerOf(message.envelope())).map(
    (element) => `${element.uri} ${element.local}=${deepText(element)}`,
  );
}

const final = 'http://www.w3.org/2005/08/addressing';
const submission = 'http://schemas.xmlsoap.org/ws/2004/08/addressing';

test('addressing headers of the final version say to whom, which message and which action', () => {
  const message = messageWith('<own xmlns="urn:own">kept</own>');
  addAddressing(message, 'http://back/a', { version: undefined, separateListener: undefined });
  assert.deepEqual(headersOf(message), [
    'urn:own own=kept',
    `${final} To=http://back/a`,
    `${final} ReplyTo=${final}/anonymous`,
    `${final} MessageID=${message.id}`,
    `${final} Action=urn:from header`,
  ]);
});

test('the submission has a namespace and an anonymous address of its own', () => {
  const message = messageWith('');
  addAddressing(message, 'http://back/a', { version: 'submission', separateListener: false });
  assert.deepEqual(headersOf(message), [
    `${submission} To=http://back/a`,
    `${submission} ReplyTo=${submission}/role/anonymous`,
    `${submission} MessageID=${message.id}`,
    `${submission} Action=urn:from header`,
  ]);
});

test('headers with which the message came are replaced, values of the message used', () => {
  const message = messageWith(`<w:To xmlns:w="${submission}">old</w:To><w:Action xmlns:w="${final}">old</w:Action>`);
  Object.assign(message.addressing, {
    action: 'urn:own',
    from: 'urn:from',
    replyTo: 'urn:reply',
    faultTo: 'urn:fault',
    relatesTo: 'urn:before',
  });
  addAddressing(message, 'http://back/a', { version: 'final', separateListener: undefined });
  assert.deepEqual(headersOf(message), [
    `${final} To=http://back/a`,
    `${final} From=urn:from`,
    `${final} ReplyTo=urn:reply`,
    `${final} FaultTo=urn:fault`,
    `${final} MessageID=${message.id}`,
    `${final} RelatesTo=urn:before`,
    `${final} Action=urn:own`,
  ]);
});

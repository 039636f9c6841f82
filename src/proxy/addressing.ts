import { answerFault, type HttpExchange } from '#entry';
import { soapVersionOfClient } from '#mediation';
import type { Message } from '#message';
import { appendChild, childElements, faultOf, firstChild, headerOf, ownText, XmlElement, XmlText } from '#xml';
import { isAllowedReply } from './reply-address.ts';

/** The versions of WS-Addressing, and what they call an answer on the connection of the request. */
const versions = {
  'http://www.w3.org/2005/08/addressing': {
    anonymous: 'http://www.w3.org/2005/08/addressing/anonymous',
    none: 'http://www.w3.org/2005/08/addressing/none',
    fault: 'http://www.w3.org/2005/08/addressing/fault',
  },
  'http://schemas.xmlsoap.org/ws/2004/08/addressing': {
    anonymous: 'http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous',
    none: undefined,
    fault: 'http://schemas.xmlsoap.org/ws/2004/08/addressing/fault',
  },
} as const;
type AddressingUri = keyof typeof versions;

/** What a request said about its addressing. */
export interface RequestAddressing {
  readonly uri: AddressingUri;
  readonly messageId: string | undefined;
  readonly action: string | undefined;
}

/** Reads the WS-Addressing headers of a request onto the message, whose payload must be loaded. */
export function readAddressing(message: Message): RequestAddressing | undefined {
  const header = message.payload.hasJson() ? undefined : headerOfEnvelope(message.envelope());
  const blocks = header ? childElements(header).filter(({ uri }) => uri in versions) : [];
  const uri = blocks[0]?.uri as AddressingUri | undefined;
  if (!uri) return undefined;
  const text = (local: string): string | undefined => {
    const block = blocks.find((each) => each.local === local && each.uri === uri);
    return block && (ownText(block).trim() || undefined);
  };
  const reference = (local: string): string | undefined => {
    const block = blocks.find((each) => each.local === local && each.uri === uri);
    const address = block && firstChild(block, 'Address', uri);
    return address && ownText(address).trim();
  };
  const { addressing } = message;
  addressing.to = text('To') ?? addressing.to;
  addressing.action = text('Action') ?? addressing.action;
  addressing.from = reference('From');
  addressing.replyTo = reference('ReplyTo');
  addressing.faultTo = reference('FaultTo');
  addressing.relatesTo = text('RelatesTo');
  return { uri, messageId: text('MessageID'), action: text('Action') };
}

/** Where answers go that the client wants somewhere else; undefined is the connection of the request. */
export interface ReplyTargets {
  readonly reply: string | undefined;
  readonly fault: string | undefined;
}

/**
 * Finds where the answer of a request goes. An address of the client's choice would let anybody send messages through
 * the server, so that only those count that the configuration allows; any other one is refused here, and the result is
 * undefined. `none` asks for no answer.
 */
export function replyTargetsOf(
  exchange: HttpExchange,
  message: Message,
  { uri, allowed }: { uri: AddressingUri; allowed: readonly string[] },
): ReplyTargets | undefined {
  const { anonymous, none } = versions[uri];
  const { replyTo, faultTo = replyTo } = message.addressing;
  const isElsewhere = (address: string | undefined): address is string =>
    address !== undefined && address !== anonymous && address !== none;
  if ([replyTo, faultTo].some((address) => isElsewhere(address) && !isAllowedReply(address, allowed))) {
    answerFault(exchange, message, {
      reason: 'Only the anonymous address is accepted for replies and faults',
      code: 'Client',
      subcode: { uri, prefix: 'wsa', local: 'OnlyAnonymousAddressSupported' },
    });
    return undefined;
  }
  if (isElsewhere(replyTo) || (replyTo !== undefined && replyTo === none)) exchange.oneWay = true;
  return {
    reply: isElsewhere(replyTo) ? replyTo : undefined,
    fault: isElsewhere(faultTo) ? faultTo : undefined,
  };
}

/** True when the answer is a SOAP fault; its payload must be loaded. */
export function isFaultAnswer({ payload }: Message): boolean {
  return !payload.hasJson() && faultOf(payload.envelope()) !== undefined;
}

/** Takes the headers that were understood out of a message that goes on to a back end. */
export function dropAddressing(message: Message): void {
  if (isSet(message, 'PRESERVE_WS_ADDRESSING') || isSet(message, 'preserveProcessedHeaders')) return;
  if (message.replied || message.payload.hasJson()) return;
  const header = headerOfEnvelope(message.envelope());
  if (!header || !childElements(header).some(({ uri }) => uri in versions)) return;
  removeBlocks(headerOf(message.payload.editEnvelope()));
}

/** Gives an answer in SOAP the headers that relate it to its request (WS-Addressing 1.0 core, section 3.4). */
export async function addressAnswer(
  message: Message,
  request: RequestAddressing,
  { outputAction, limit, to }: { outputAction: string | undefined; limit: number; to?: string | undefined },
): Promise<void> {
  await message.payload.load(limit);
  if (!soapVersionOfClient(message) || message.payload.hasJson() || message.payload.empty) return;
  const { uri } = request;
  const envelope = message.payload.editEnvelope();
  const header = headerOf(envelope);
  removeBlocks(header);
  const isFault = faultOf(envelope) !== undefined;
  const action = isFault ? versions[uri].fault : (outputAction ?? (request.action && `${request.action}Response`));
  const values: readonly (readonly [local: string, text: string | undefined])[] = [
    ['To', to ?? versions[uri].anonymous],
    ['Action', action],
    ['MessageID', `urn:uuid:${crypto.randomUUID()}`],
    ['RelatesTo', request.messageId],
  ];
  for (const [local, text] of values) {
    if (text === undefined) continue;
    const block = new XmlElement(local, uri, 'wsa');
    block.declarations.push({ prefix: 'wsa', uri });
    appendChild(block, new XmlText(text));
    appendChild(header, block);
  }
}

function removeBlocks(header: XmlElement): void {
  header.children = header.children.filter((child) => child.kind !== 'element' || !(child.uri in versions));
}

function headerOfEnvelope(envelope: XmlElement): XmlElement | undefined {
  return firstChild(envelope, 'Header', envelope.uri);
}

function isSet(message: Message, name: string): boolean {
  return String(message.properties.get(name)) === 'true';
}

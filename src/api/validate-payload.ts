import { messageOf, synapseCodes } from '#errors';
import { decodeText } from '#core/java';
import { Fault } from '#mediation';
import { mediaTypeOf, type Message } from '#message';
import { parseJson } from '#json';
import { parseXml } from '#xml';

/** Which bodies are parsed as a whole before the flow of their resource begins. */
export interface PayloadValidation {
  readonly xml: boolean;
  readonly json: boolean;
  /** Most bytes of such a body. */
  readonly limit: number;
}

/** Examines a message; the promise is there only when the body must be read first. */
export type PayloadValidator = (message: Message) => void | Promise<void>;

/**
 * Makes the examination of request bodies (runtime-core 6.7, `force.xml.message.validation` and its JSON twin): a
 * malformed body leaves its text in the axis2 property `RAW_PAYLOAD` and is a fault. Undefined when nothing is asked.
 */
export function createPayloadValidator({ xml, json, limit }: PayloadValidation): PayloadValidator | undefined {
  if (!xml && !json) return undefined;
  return (message) => {
    const type = mediaTypeOf(message.payload.receivedContentType ?? '').toLowerCase();
    const parse = parserFor(type, { xml, json });
    if (!parse || message.axis2.get('NO_ENTITY_BODY') === true) return undefined;
    if (message.payload.loaded) return examine(message, parse);
    return message.payload.load(limit).then(() => examine(message, parse));
  };
}

function parserFor(type: string, wanted: { xml: boolean; json: boolean }): ((text: string) => unknown) | undefined {
  if (wanted.json && /[/+]json$/.test(type)) return parseJson;
  return wanted.xml && /[/+]xml$/.test(type) ? parseXml : undefined;
}

function examine(message: Message, parse: (text: string) => unknown): void {
  const raw = message.payload.takeRaw();
  if (!(raw instanceof Uint8Array) || raw.length === 0) return;
  const text = decodeText(raw, 'UTF-8');
  try {
    parse(text);
  } catch (error) {
    message.axis2.set('RAW_PAYLOAD', text);
    throw new Fault({
      code: synapseCodes.parsing,
      message: `Error while building the message: ${messageOf(error)}`,
      cause: error,
    });
  }
}

import { MillraceError, messageOf, synapseCodes } from '#errors';
import { jsonToXml, parseJson, stringifyJson, xmlToJson, type JsonValue, type MappingOptions } from '#json';
import {
  appendChild,
  bodyOf,
  cloneNode,
  createEnvelope,
  detach,
  firstElement,
  type SoapVersion,
  type XmlElement,
} from '#xml';
import { readBody, type BodySource } from './body.ts';
import { selectBuilder } from './builders/index.ts';
import { wrapText } from './wrappers.ts';

/** The body of a message could not be read as what its Content-Type says. */
export class PayloadError extends MillraceError {}

/** What a payload must know of the message that brought it. */
export interface PayloadOrigin {
  /** Content-Type as received; undefined when there was none. */
  readonly contentType: string | undefined;
  readonly hasSoapAction: boolean;
  /** The query of the request line, for form data. */
  readonly query: string;
}

const noOrigin: PayloadOrigin = { contentType: undefined, hasSoapAction: false, query: '' };

/**
 * The body of a message in whichever form it was last given, other forms being derived when somebody asks.
 *
 * As received it is a stream, then bytes; nothing parses it that nobody reads, and as long as it was only read the
 * bytes are what is forwarded. JSON text is the primary form of JSON; the XML view of it is made on demand.
 */
export class Payload {
  /** How the payload turns from XML into JSON and back; the defaults when undefined. */
  mapping: MappingOptions | undefined;
  #source: BodySource | null = null;
  #bytes: Uint8Array | null = null;
  #origin: PayloadOrigin = noOrigin;
  #built = true;
  #jsonText: string | undefined;
  #jsonValue: JsonValue | undefined;
  #envelope: XmlElement | null = null;
  /** The XML view of JSON that was made and not touched by us; JSON stays primary while it is in place. */
  #jsonView: XmlElement | undefined;

  /** A payload that arrives as a stream. */
  static received(source: BodySource | null, origin: PayloadOrigin): Payload {
    const payload = new Payload();
    payload.#source = source;
    payload.#origin = origin;
    payload.#built = source === null;
    return payload;
  }

  /** True when the bytes are here, so that reading needs no waiting. */
  get loaded(): boolean {
    return this.#source === null;
  }

  /** True when the payload is as received and nothing has changed it. */
  get pristine(): boolean {
    return this.#source !== null || this.#bytes !== null;
  }

  /** The Content-Type with which the payload was received. */
  get receivedContentType(): string | undefined {
    return this.#origin.contentType;
  }

  /** Waits for the whole body. @throws MillraceError 413 beyond `limit` bytes, or the transport's error */
  async load(limit: number): Promise<void> {
    const source = this.#source;
    if (!source) return;
    const bytes = await readBody(source, limit);
    this.#source = null;
    this.#bytes = bytes;
  }

  /** Hands the body over unread or as received bytes, for forwarding; null when it must be formatted anew. */
  takeRaw(): BodySource | Uint8Array | null {
    const source = this.#source;
    if (!source) return this.#bytes;
    this.#source = null;
    this.#built = true;
    return source;
  }

  /** Gives up an unread body. */
  discard(): void {
    this.#source?.cancel();
    this.#source = null;
  }

  /** True when there is nothing in the body. */
  get empty(): boolean {
    if (this.#source !== null) return false;
    this.#build();
    return this.#jsonText === undefined && this.content() === undefined;
  }

  hasJson(): boolean {
    this.#build();
    return this.#jsonText !== undefined;
  }

  /** The JSON text when JSON is the primary form. */
  jsonText(): string | undefined {
    this.#build();
    return this.#jsonText;
  }

  /** The payload as a JSON value, converted from XML when need be; undefined for an empty body. */
  jsonValue(): JsonValue | undefined {
    this.#build();
    if (this.#jsonText !== undefined) {
      this.#jsonValue ??= parsing(() => parseJson(this.#jsonText ?? ''));
      return this.#jsonValue;
    }
    const content = this.content();
    return content && xmlToJson(content, this.mapping);
  }

  /** JSON to send: the text verbatim while the XML view is untouched, else the body converted (runtime-core 6.6). */
  toJsonText(): string | undefined {
    this.#build();
    if (this.#jsonText !== undefined) return this.#jsonText;
    const content = this.content();
    return content && stringifyJson(xmlToJson(content, this.mapping));
  }

  /** The envelope, for reading. */
  envelope(): XmlElement {
    this.#build();
    if (!this.#envelope) this.#envelope = createEnvelope('soap12');
    if (this.#jsonText !== undefined && this.#jsonView === undefined) {
      const text = this.#jsonText;
      const view = parsing(() => jsonToXml(text, this.mapping));
      this.#jsonView = view;
      this.#replaceContent(view ? [view] : []);
    }
    return this.#envelope;
  }

  /** The envelope, for changing: received bytes and JSON text no longer count afterwards. */
  editEnvelope(): XmlElement {
    const envelope = this.envelope();
    this.#bytes = null;
    this.#dropJson();
    return envelope;
  }

  /** The first element of the body, for reading; undefined when the body is empty. */
  content(): XmlElement | undefined {
    return firstElement(bodyOf(this.envelope()));
  }

  setJson(text: string): void {
    this.#reset();
    this.#jsonText = text;
  }

  /** Takes a JSON value as the payload; also what `jsonValue` gave, after it was changed in place. */
  setJsonValue(value: JsonValue): void {
    this.setJson(stringifyJson(value));
  }

  /** Replaces what is in the body, keeping the envelope's version and header. */
  setContent(content: readonly XmlElement[]): void {
    const envelope = this.#pristineEnvelope();
    this.#reset();
    this.#envelope = envelope;
    this.#replaceContent(content);
  }

  setText(text: string): void {
    this.setContent([wrapText(text)]);
  }

  setEnvelope(envelope: XmlElement): void {
    this.#reset();
    this.#envelope = envelope;
  }

  clear(): void {
    this.#reset();
  }

  /** An independent copy; needs a loaded body. */
  clone(): Payload {
    const copy = new Payload();
    if (this.#source) throw new Error('a payload was copied before it was loaded');
    copy.mapping = this.mapping;
    copy.#bytes = this.#bytes;
    copy.#origin = this.#origin;
    copy.#built = this.#built;
    copy.#jsonText = this.#jsonText;
    copy.#jsonValue = undefined;
    copy.#envelope = this.#envelope && cloneNode(this.#envelope);
    copy.#jsonView = this.#jsonView && copy.#envelope ? firstElement(bodyOf(copy.#envelope)) : undefined;
    return copy;
  }

  /** Gives the envelope another SOAP version, moving header and body content over. */
  convertEnvelope(version: SoapVersion): void {
    const old = this.editEnvelope();
    const fresh = createEnvelope(version);
    for (const part of old.children.slice()) {
      if (part.kind !== 'element') continue;
      if (part.local === 'Body') for (const node of part.children.slice()) appendChild(bodyOf(fresh), node);
      else if (part.local === 'Header' && part.children.length > 0) {
        detach(part);
        part.uri = fresh.uri;
        part.prefix = fresh.prefix;
        part.parent = fresh;
        fresh.children.unshift(part);
      }
    }
    this.#envelope = fresh;
  }

  #build(): void {
    if (this.#built) return;
    if (this.#source) throw new Error('a payload was read before it was loaded');
    this.#built = true;
    const bytes = this.#bytes;
    if (!bytes || bytes.length === 0) {
      this.#bytes = null;
      return;
    }
    const contentType = this.#origin.contentType ?? 'application/octet-stream';
    const builder = selectBuilder(contentType, this.#origin.hasSoapAction);
    try {
      const built = builder.build({ bytes, contentType, query: this.#origin.query });
      if (built.form === 'json') this.#jsonText = built.text;
      else if (built.form === 'envelope') this.#envelope = built.envelope;
      else this.#envelope = createEnvelope('soap12', built.content);
    } catch (error) {
      this.#bytes = null;
      throw parsingFailure(error);
    }
  }

  #replaceContent(content: readonly XmlElement[]): void {
    this.#envelope ??= createEnvelope('soap12');
    const body = bodyOf(this.#envelope);
    for (const child of body.children) child.parent = null;
    body.children = [];
    for (const element of content) appendChild(body, element);
  }

  /** The envelope to keep when only its content changes: SOAP headers of a received message must not get lost. */
  #pristineEnvelope(): XmlElement | null {
    if (this.#source) return null;
    if (!this.#built && this.#origin.contentType === undefined) return null;
    try {
      this.#build();
    } catch (error) {
      if (!(error instanceof PayloadError)) throw error;
    }
    return this.#envelope;
  }

  #reset(): void {
    this.discard();
    this.#bytes = null;
    this.#built = true;
    this.#dropJson();
    this.#envelope = null;
  }

  #dropJson(): void {
    this.#jsonText = undefined;
    this.#jsonValue = undefined;
    this.#jsonView = undefined;
  }
}

function parsing<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw parsingFailure(error);
  }
}

/** Malformed payloads are error 601000 in the original, whichever parser refused them. */
function parsingFailure(error: unknown): PayloadError {
  return new PayloadError({
    code: synapseCodes.parsing,
    status: 400,
    message: `Error while building the message: ${messageOf(error)}`,
    cause: error,
  });
}

import {
  jsonToXml,
  parseJson,
  readJsonAt,
  stringifyJson,
  valueAt,
  xmlToJson,
  xmlToJsonText,
  type JsonKeys,
  type JsonValue,
  type MappingOptions,
} from '#json';
import {
  appendChild,
  bodyOf,
  cloneNode,
  createEnvelope,
  firstElement,
  parseXml,
  type SoapVersion,
  type XmlElement,
} from '#xml';
import type { Attachment } from './attachments.ts';
import { readBody, type BodySource, type Trailers } from './body.ts';
import type { Built } from './builders/index.ts';
import { decodeContent } from './content-encoding.ts';
import { mayBeEnvelope } from './content-type.ts';
import { defaultFormats, type MessageFormats } from './formats/message-formats.ts';
import { parsing, PayloadError, payloadFailure } from './payload-error.ts';
import { assumedContentType, noOrigin, type PayloadOrigin } from './payload-origin.ts';
import { convertedEnvelope } from './soap-version.ts';
import { wrapBinary, wrapText } from './wrappers.ts';

export type { PayloadOrigin, ReadingOptions } from './payload-origin.ts';

/**
 * The body of a message in whichever form it was last given, other forms being derived when somebody asks.
 *
 * As received it is a stream, then bytes; nothing parses it that nobody reads, and as long as it was only read the
 * bytes are what is forwarded. JSON text is the primary form of JSON; the XML view of it is made on demand.
 */
export class Payload {
  /** How the payload turns from XML into JSON and back; the defaults when undefined. */
  mapping: MappingOptions | undefined;
  /** How the bytes are read; as without configuration when undefined. */
  formats: MessageFormats | undefined;
  #source: BodySource | null = null;
  #bytes: Uint8Array | null = null;
  /** The bytes without their content codings, or why they cannot be had; undefined when they have none. */
  #decoded: Uint8Array | PayloadError | undefined;
  #trailers: Trailers | undefined;
  #attachments: readonly Attachment[] = [];
  #origin: PayloadOrigin = noOrigin;
  #built = true;
  #jsonText: string | undefined;
  #jsonValue: JsonValue | undefined;
  /** How many keys were looked up in the JSON text. */
  #lookups = 0;
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

  /** True when mediators can look at a body: it has come in, or somebody made it. */
  get hasContent(): boolean {
    return this.#bytes !== null || this.#jsonText !== undefined || this.#envelope !== null;
  }

  /** True when the payload is as received and nothing has changed it. */
  get pristine(): boolean {
    return this.#source !== null || this.#bytes !== null;
  }

  /** The bytes as received, while they are here and nothing has changed them. */
  get receivedBytes(): Uint8Array | undefined {
    return this.#bytes ?? undefined;
  }

  /** Fields that came behind the bytes, while nothing has changed these. */
  get trailers(): Trailers | undefined {
    return this.#bytes === null ? undefined : this.#trailers;
  }

  /** What the message that brought the payload said about it. */
  get origin(): PayloadOrigin {
    return this.#origin;
  }

  /** The parts that came beside the envelope. */
  get attachments(): readonly Attachment[] {
    if (!this.#built && this.loaded) this.#build();
    return this.#attachments;
  }

  /** Sets the parts that go beside the envelope, in the place of those that are there. */
  attach(attachments: readonly Attachment[]): void {
    this.#attachments = attachments;
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
    // They are complete only now.
    if (source.trailers && source.trailers.fields.length > 0) this.#trailers = source.trailers;
    const { contentEncoding } = this.#origin;
    if (contentEncoding === undefined || bytes.length === 0) return;
    // Bytes that are only forwarded need no decoding to succeed.
    this.#decoded = await decodeContent(bytes, contentEncoding, limit).catch(payloadFailure);
  }

  /** Hands the body over unread or as received bytes, for forwarding; null when it must be formatted anew. */
  takeRaw(): BodySource | Uint8Array | null {
    const source = this.#source;
    if (!source) {
      this.#dropForms();
      return this.#bytes;
    }
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

  /**
   * What keys lead to in `jsonValue`. The first few are looked up in the text, without making a value of the rest; a
   * payload that is asked more often is made into a value once.
   */
  jsonAt(keys: JsonKeys): JsonValue | undefined {
    this.#build();
    const text = this.#jsonText;
    if (text !== undefined && this.#jsonValue === undefined && this.#lookups < maxLookups) {
      this.#lookups++;
      return parsing(() => readJsonAt(text, keys));
    }
    const value = this.jsonValue();
    return value === undefined ? undefined : valueAt(value, keys);
  }

  /** JSON to send: the text verbatim while the XML view is untouched, else the body converted (runtime-core 6.6). */
  toJsonText(options: MappingOptions = {}): string | undefined {
    this.#build();
    if (this.#jsonText !== undefined) return this.#jsonText;
    const content = this.content();
    return content && xmlToJsonText(content, { ...this.mapping, ...options });
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
    this.#attachments = [];
  }

  /** An independent copy; needs a loaded body. */
  clone(): Payload {
    const copy = new Payload();
    if (this.#source) throw new Error('a payload was copied before it was loaded');
    copy.mapping = this.mapping;
    copy.formats = this.formats;
    copy.#decoded = this.#decoded;
    copy.#attachments = this.#attachments;
    copy.#bytes = this.#bytes;
    copy.#trailers = this.#trailers;
    copy.#origin = this.#origin;
    copy.#built = this.#built;
    copy.#jsonText = this.#jsonText;
    copy.#jsonValue = undefined;
    copy.#envelope = this.#envelope && cloneNode(this.#envelope);
    copy.#jsonView = this.#jsonView && copy.#envelope ? firstElement(bodyOf(copy.#envelope)) : undefined;
    return copy;
  }

  /** A payload of the same origin with nothing in it; what is set on it is read and written as this one would be. */
  blank(): Payload {
    const blank = new Payload();
    blank.mapping = this.mapping;
    blank.formats = this.formats;
    blank.#origin = this.#origin;
    return blank;
  }

  /** Gives the envelope another SOAP version, moving header and body content over. */
  convertEnvelope(version: SoapVersion): void {
    this.#envelope = convertedEnvelope(this.editEnvelope(), version);
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
    try {
      const decoded = this.#decoded ?? bytes;
      if (decoded instanceof PayloadError) throw decoded;
      this.#take(this.#read(decoded));
    } catch (error) {
      this.#bytes = null;
      throw payloadFailure(error);
    }
  }

  /** Lets the builder of the Content-Type read the bytes (runtime-core 6.2). */
  #read(bytes: Uint8Array): Built {
    const { hasSoapAction, query, reading } = this.#origin;
    const formats = this.formats ?? defaultFormats;
    const contentType = this.#origin.contentType ?? assumedContentType(this.#origin, formats);
    const malformed = (error: Error): Error => {
      this.#reset();
      return payloadFailure(error);
    };
    return formats.builderFor(contentType, hasSoapAction).build({ ...reading, bytes, contentType, query, malformed });
  }

  #take(built: Built): void {
    switch (built.form) {
      case 'json':
        this.#jsonText = built.text;
        return;
      case 'xml':
        this.#envelope = createEnvelope('soap12', [
          parseXml(built.text, { allowDtd: this.#origin.reading?.allowDtd ?? false }).root,
        ]);
        return;
      case 'text':
        this.#envelope = createEnvelope('soap12', [wrapText(built.text, this.#origin.reading?.wrapper)]);
        return;
      case 'binary':
        this.#envelope = createEnvelope('soap12', [wrapBinary(built.bytes, this.#origin.reading?.wrapper)]);
        return;
      case 'content':
        this.#envelope = createEnvelope('soap12', built.content);
        break;
      case 'envelope':
        this.#envelope = built.envelope;
    }
    this.#attachments = built.attachments ?? [];
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
    if (!this.#built && !mayBeEnvelope(this.#origin.contentType)) return null;
    try {
      this.#build();
      // A received envelope is read to its end here, so that what is wrong in it does not show when it is taken apart.
      void this.#envelope?.children;
    } catch (error) {
      if (!(error instanceof PayloadError)) throw error;
    }
    return this.#envelope;
  }

  #reset(): void {
    this.discard();
    this.#bytes = null;
    this.#decoded = undefined;
    this.#built = true;
    this.#dropJson();
    this.#envelope = null;
  }

  /** Gives up what was derived from bytes that are kept: a message may wait long for its answer. */
  #dropForms(): void {
    if (!this.#bytes || !this.#built) return;
    this.#built = false;
    this.#envelope = null;
    this.#dropJson();
  }

  #dropJson(): void {
    this.#jsonText = undefined;
    this.#jsonValue = undefined;
    this.#lookups = 0;
    this.#jsonView = undefined;
  }
}

/** Looking something up in a text takes a fraction of the time of making a value of it: this often it pays. */
const maxLookups = 3;

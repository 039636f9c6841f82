import type { VaultAddress } from '#expression';
import type { MappingOptions } from '#json';
import type { XmlElement } from '#xml';
import type { MessageFormats } from './formats/message-formats.ts';
import type { FlowCount } from './flow-count.ts';
import type { Incident } from './incident.ts';
import type { Message } from './message.ts';
import type { PayloadOrigin } from './payload.ts';

/** What a message may ask of the world and the machine around it. */
export interface MessageEnvironment {
  /** A value of the process: system property, environment variable, or line of `file.properties`. */
  external(scope: 'system' | 'env' | 'file', name: string): string | undefined;
  configuration(name: string): string | undefined;
  resource(key: string): string | undefined;
  resourceProperty(key: string, property: string): string | undefined;
  /** The content of a local entry: text, or an element for XML. */
  localEntry(key: string): string | XmlElement | undefined;
  /** Writes a registry resource (`path` or `path@property`) or a property of the process. */
  store(scope: 'registry' | 'system', name: string, value: string): void;
  secret(alias: string): string | undefined;
  /** A field of a secret in an external vault; absent where none is configured. */
  readonly vaultSecret?: ((address: VaultAddress) => string) | undefined;
  now(): number;
  /** The time zone of dates in text; UTC when absent. */
  readonly timeZone?: string | undefined;
  /** How payloads turn from XML into JSON and back; the defaults when absent. */
  readonly jsonMapping?: MappingOptions | undefined;
  /** How bodies are read and written; as without configuration when absent. */
  readonly formats?: MessageFormats | undefined;
  warn(message: string, detail: string): void;
}

/**
 * What a request and its answer share, clones included: the operation scope, whether the client has its answer, and
 * the ways to give one.
 */
export interface MessageExchange {
  readonly environment: MessageEnvironment;
  /** Properties of scope `operation`. */
  readonly operation: Map<string, unknown>;
  /** The operation of a described service that the request asks for; there once it was looked up. */
  namedOperation?: { readonly local: string; readonly uri: string } | undefined;
  /** What the request said about its body; the first message of the exchange notes it. */
  received?: PayloadOrigin | undefined;
  /** True once an answer was handed to the transport; a second one is refused with a warning. */
  answered: boolean;
  /** True when the client takes fields behind the body of its answer. */
  readonly acceptsTrailers?: boolean | undefined;
  /** The `If-None-Match` of the request; undefined when it had none. */
  readonly ifNoneMatch: string | undefined;
  /** True once a back end was called without waiting on the request's own turn (the 202 rule, runtime-core 3.4). */
  sentAsynchronously: boolean;
  /** Notes that the message waits for a back end; a client that was promised 202 gets it now (`FORCE_SC_ACCEPTED`). */
  waits(message: Message): void;
  /** True once a fault sequence had to run for this exchange. */
  failed: boolean;
  /** What happens to an answer of `send` and to `loopback`: the out sequence, or straight to the client. */
  respondThrough(message: Message): boolean | Promise<boolean>;
  /**
   * Counts the flows that run beside the one that began the exchange; there once a flow was split. Whoever ends the
   * exchange waits for them.
   */
  flows?: FlowCount | undefined;
  /** What went wrong so far, in order; there once something did. */
  incidents?: Incident[] | undefined;
  /** What is given back when the exchange is over, such as a place in a throttle; there once something is taken. */
  releases?: (() => void)[] | undefined;
  /** Sends the message to the client as the answer; the promise is there only when the payload must be read first. */
  answer(message: Message): void | Promise<void>;
}

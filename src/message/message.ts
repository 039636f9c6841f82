import { MillraceError } from '#errors';
import { textOf, type Expression, type PropertyScope, type Scope, type VaultAddress } from '#expression';
import type { JsonKeys, JsonValue } from '#json';
import type { XmlElement } from '#xml';
import { builtinProperties } from './builtin-properties.ts';
import type { FaultHandlers, MessageBranch, Place } from './course.ts';
import type { MessageExchange } from './exchange.ts';
import { getHeader, type HeaderList } from './header-list.ts';
import type { Payload } from './payload.ts';
import { receivedProperties } from './received-properties.ts';

/** WS-Addressing values of a message; `to` of an API request is its path and query until an endpoint sets it. */
export interface Addressing {
  to: string | undefined;
  from: string | undefined;
  replyTo: string | undefined;
  faultTo: string | undefined;
  action: string | undefined;
  relatesTo: string | undefined;
}

/** The values of a message that says nothing of them. */
export function noAddressing(): Addressing {
  return {
    to: undefined,
    from: undefined,
    replyTo: undefined,
    faultTo: undefined,
    action: undefined,
    relatesTo: undefined,
  };
}

/** One call of a sequence template: its parameters, innermost call first. */
export interface TemplateFrame {
  readonly parameters: ReadonlyMap<string, unknown>;
  readonly outer: TemplateFrame | null;
}

/** A template parameter that is evaluated in the template, each time it is read (mediators 2.7, `{{expression}}`). */
export class LateParameter {
  readonly expression: Expression;

  constructor(expression: Expression) {
    this.expression = expression;
  }

  evaluate(message: Message): unknown {
    return this.expression.evaluateString(message);
  }
}

type PropertyMap = Map<string, unknown>;

/**
 * A message on its way through mediation: payload, headers, properties of each scope, variables, direction. When a
 * back end answers a `call` the same object goes on with the answer's payload, headers and axis2 properties.
 */
export class Message implements Scope {
  readonly exchange: MessageExchange;
  headers: HeaderList;
  #response = false;
  /** True once an answer of a back end has come in that the flow did not block for. */
  replied = false;
  /** Whose headers the message carries: a blocking call leaves those of the request in place. */
  headersOf: 'request' | 'back end' = 'request';
  properties: PropertyMap = new Map();
  axis2: PropertyMap = new Map();
  variables: PropertyMap = new Map();
  frame: TemplateFrame | null = null;
  /** Where the message stands; null outside of any list. */
  place: Place | null = null;
  handlers: FaultHandlers | null = null;
  /** The branch that the message runs in; null for the flow that began the exchange. */
  branch: MessageBranch | null = null;
  readonly addressing: Addressing;
  #payload: Payload;
  #id: string | undefined;

  constructor(exchange: MessageExchange, payload: Payload, headers: HeaderList) {
    this.exchange = exchange;
    this.#payload = payload;
    this.#adopt(payload);
    exchange.received ??= payload.origin;
    this.headers = headers;
    this.addressing = noAddressing();
  }

  get payload(): Payload {
    return this.#payload;
  }

  /** Every payload of a message turns into JSON and XML as its environment says. */
  set payload(payload: Payload) {
    this.#adopt(payload);
    this.#payload = payload;
  }

  /** True on the way back to the client; the property `RESPONSE` overrides it (runtime-core 3.1). */
  get response(): boolean {
    const override = this.properties.get('RESPONSE');
    return override === undefined ? this.#response : textOf(override) === 'true';
  }

  set response(value: boolean) {
    this.#response = value;
  }

  get id(): string {
    this.#id ??= `urn:uuid:${crypto.randomUUID()}`;
    return this.#id;
  }

  set id(id: string) {
    this.#id = id;
  }

  envelope(): XmlElement {
    return this.payload.envelope();
  }

  hasJson(): boolean {
    return this.payload.hasJson();
  }

  json(): JsonValue | undefined {
    return this.payload.jsonValue();
  }

  jsonAt(keys: JsonKeys): JsonValue | undefined {
    return this.payload.jsonAt(keys);
  }

  jsonText(): string | undefined {
    return this.payload.jsonText();
  }

  property(scope: PropertyScope, name: string): unknown {
    switch (scope) {
      case 'default':
        return this.#defaultProperty(name);
      case 'axis2':
      case 'axis2-client':
        return this.axis2.get(name) ?? receivedProperties.get(name)?.(this.payload);
      case 'transport':
        return getHeader(this.headers, name);
      case 'operation':
        return this.exchange.operation.get(name);
      case 'func':
        return this.templateParameter(name);
      case 'registry':
        return this.#registryProperty(name);
      case 'system':
      case 'env':
      case 'file':
        return this.exchange.environment.external(scope, name);
      case 'analytics':
      case 'trace':
        return undefined;
    }
  }

  header(name: string): string | undefined {
    return getHeader(this.headers, name);
  }

  variable(name: string): unknown {
    return this.variables.get(name);
  }

  hasVariable(name: string): boolean {
    return this.variables.has(name);
  }

  templateParameter(name: string): unknown {
    const value = this.frame?.parameters.get(name);
    return value instanceof LateParameter ? value.evaluate(this) : value;
  }

  configuration(name: string): string | undefined {
    return this.exchange.environment.configuration(name);
  }

  resource(key: string): string | undefined {
    return this.exchange.environment.resource(key);
  }

  resourceProperty(key: string, property: string): string | undefined {
    return this.exchange.environment.resourceProperty(key, property);
  }

  secret(alias: string): string | undefined {
    return this.exchange.environment.secret(alias);
  }

  vaultSecret(address: VaultAddress): string {
    const { vaultSecret } = this.exchange.environment;
    if (vaultSecret) return vaultSecret(address);
    throw new MillraceError({
      code: 'MR_VAULT',
      message: 'No external vault is configured; see [[external_vault]]',
    });
  }

  to(): string {
    return this.addressing.to ?? '';
  }

  now(): number {
    return this.exchange.environment.now();
  }

  timeZone(): string {
    return this.exchange.environment.timeZone ?? 'UTC';
  }

  warn(message: string, detail: string): void {
    this.exchange.environment.warn(message, detail);
  }

  /** Notes that the message waits for a back end without blocking anything. */
  waits(): void {
    this.exchange.waits(this);
    this.branch?.waits();
  }

  /**
   * A copy for a flow of its own: payload, headers and maps are independent, the exchange with the client is shared.
   * It stands nowhere, and faults of it have the handlers of this message.
   */
  clone(payload: Payload = this.payload.clone()): Message {
    const copy = new Message(this.exchange, payload, this.headers.slice());
    copy.response = this.#response;
    copy.replied = this.replied;
    copy.headersOf = this.headersOf;
    copy.properties = new Map(this.properties);
    copy.axis2 = new Map(this.axis2);
    copy.variables = new Map(this.variables);
    copy.frame = this.frame;
    copy.handlers = this.handlers;
    copy.branch = this.branch;
    Object.assign(copy.addressing, this.addressing);
    return copy;
  }

  #adopt(payload: Payload): void {
    const { environment } = this.exchange;
    payload.mapping = environment.jsonMapping;
    payload.formats ??= environment.formats;
  }

  /** Own value, then the values that the engine computes, then a local entry of that name (runtime-core 4.1, 4.2). */
  #defaultProperty(name: string): unknown {
    const own = this.properties.get(name);
    if (own !== undefined) return own;
    const builtin = builtinProperties.get(name);
    return builtin ? builtin(this) : this.exchange.environment.localEntry(name);
  }

  #registryProperty(name: string): unknown {
    const at = name.lastIndexOf('@');
    return at < 0 ? this.resource(name) : this.resourceProperty(name.slice(0, at), name.slice(at + 1));
  }
}

import type { LogFields } from '#core';

/** Scopes of properties that extensions may use. */
export type ExtensionScope = 'default' | 'axis2' | 'transport' | 'operation';

/**
 * A message as extensions see it. JSON comes as plain JavaScript values, XML as markup. What is set takes effect at
 * once; a payload that nobody asks for is not read.
 */
export interface ExtensionMessage {
  /** `urn:uuid:…` */
  readonly id: string;
  /** True on the way back to the client. */
  readonly isResponse: boolean;
  /** The address that the message goes to; a path for a request of an API. */
  to: string | undefined;
  /** The payload as JSON, converted from XML when need be; undefined without a payload. */
  json(): unknown;
  setJson(value: unknown): void;
  /** The payload as it would be written: JSON, markup, or the text of a text payload. */
  text(): string;
  setText(text: string): void;
  /** The first element of the body as markup; undefined without one. */
  xml(): string | undefined;
  /** @throws XmlError for markup that is not well formed */
  setXml(markup: string): void;
  /** The whole envelope as markup. */
  envelope(): string;
  property(name: string, scope?: ExtensionScope): unknown;
  setProperty(name: string, value: unknown, scope?: ExtensionScope): void;
  removeProperty(name: string, scope?: ExtensionScope): void;
  propertyNames(): readonly string[];
  header(name: string): string | undefined;
  setHeader(name: string, value: string): void;
  removeHeader(name: string): void;
  variable(name: string): unknown;
  setVariable(name: string, value: unknown): void;
  removeVariable(name: string): void;
  /** Answers the client with the message as it is; return false afterwards. */
  respond(): Promise<void>;
  /** The text of a local entry or registry resource; undefined when nothing answers to the key. */
  resource(key: string): string | undefined;
}

/** The log of an extension; every line says where it comes from. */
export interface ExtensionLog {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** What an extension gets when its world starts. */
export interface ExtensionContext {
  /** Where it is used, such as `api:Orders/resource:0/in/2`. */
  readonly id: string;
  readonly log: ExtensionLog;
  /** Parameters of the configuration; empty where properties are set instead. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** What every extension may have. */
export interface Extension {
  /** Runs once, before the first message. What it throws keeps the change from being deployed. */
  init?(context: ExtensionContext): void | Promise<void>;
  /** Runs once, after the last message. */
  destroy?(): void | Promise<void>;
}

/**
 * A class mediator. `<property name="limit" value="5"/>` calls `setLimit` or sets the member `limit`, converted to a
 * number or boolean where the member is one.
 */
export interface ClassMediator extends Extension {
  /** False ends the flow; arguments of `<inputs>` follow the message. */
  mediate(message: ExtensionMessage, ...inputs: unknown[]): unknown;
}

/** A handler of one API; false ends the processing, and the handler must have answered. */
export interface ApiHandler extends Extension {
  /** True when it reads payloads; without it they may not have arrived. */
  readonly needsBody?: boolean;
  handleRequest?(message: ExtensionMessage): boolean | Promise<boolean>;
  handleResponse?(message: ExtensionMessage): boolean | Promise<boolean>;
}

/** A handler around every message: the client's request and response, and those of back ends. */
export interface FlowHandler extends Extension {
  /** True when it reads payloads; without it they may not have arrived. */
  readonly needsBody?: boolean;
  handleRequestInFlow?(message: ExtensionMessage): boolean | Promise<boolean>;
  handleRequestOutFlow?(message: ExtensionMessage): boolean | Promise<boolean>;
  handleResponseInFlow?(message: ExtensionMessage): boolean | Promise<boolean>;
  handleResponseOutFlow?(message: ExtensionMessage): boolean | Promise<boolean>;
}

/** A command of `<pojoCommand>`: properties are set from the message, then it runs, then they are read back. */
export interface Command {
  execute(): void | Promise<void>;
}

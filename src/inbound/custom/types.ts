import type { ExtensionLog } from '#mediation';

/** A message that a module of one's own takes in. */
export interface InboundMessage {
  readonly content?: string | Uint8Array;
  /** The type of the content; `application/octet-stream` for bytes and `text/plain` for text when absent. */
  readonly contentType?: string;
  /** Transport headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Properties of the default scope. */
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** What the server offers to an inbound endpoint of a class of its own. */
export interface InboundContext {
  readonly name: string;
  readonly log: ExtensionLog;
  /** The parameters of the endpoint, with what stood for other values filled in. */
  readonly parameters: Readonly<Record<string, string>>;
  /**
   * Takes a message through the sequence of the endpoint. Resolves when the flow has ended: true, or false when
   * something failed or `SET_ROLLBACK_ONLY` was set.
   */
  inject(message: InboundMessage): Promise<boolean>;
}

interface Consumer {
  /** Runs once, before anything else. What it throws is logged, and it is tried again. */
  init?(context: InboundContext): unknown;
  /** Runs once, when the endpoint ends or is switched off. */
  destroy?(): unknown;
}

/** An endpoint that looks for messages every `interval` milliseconds or by `cronExpression`. */
export interface PollingConsumer extends Consumer {
  poll(context: InboundContext): unknown;
}

/** An endpoint that keeps a connection or a port, with `inbound.behavior` `eventBased` or `listening`. */
export interface ListeningConsumer extends Consumer {
  /** Takes messages until `signal` is aborted. When it returns or throws before, it is called again after a while. */
  listen(context: InboundContext, signal: AbortSignal): unknown;
}

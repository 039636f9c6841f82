import type { ProxySelector, SenderTls, WebSocketLimits } from '#transport';

/** What the configuration says of back ends of one scheme, `ws` or `wss`. */
export interface WebSocketSchemeSettings {
  readonly isEnabled: boolean;
  /** Sequence for each frame of a back end; where it does not exist the frame goes to the client as it is. */
  readonly outflow: string;
  /** Sequence for what fails in that one, and for connections that break. */
  readonly outflowFault: string;
  /** Further parameters of the sender; messages made of frames have them as properties of scope `axis2`. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly tls: SenderTls;
  readonly proxy: ProxySelector;
}

export interface WebSocketSettings {
  readonly limits: WebSocketLimits;
  readonly schemes: Readonly<Record<'ws' | 'wss', WebSocketSchemeSettings>>;
}

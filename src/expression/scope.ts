import type { JsonKeys, JsonValue } from '#json';
import type { XmlElement } from '#xml';

/** The places where `get-property` and its relatives look a name up (runtime-core 4.1). */
export type PropertyScope =
  | 'default'
  | 'axis2'
  | 'axis2-client'
  | 'transport'
  | 'operation'
  | 'registry'
  | 'system'
  | 'env'
  | 'file'
  | 'func'
  | 'analytics'
  | 'trace';

/** Where a secret stands in an external vault; the vault's own namespace when undefined. */
export interface VaultAddress {
  readonly namespace: string | undefined;
  readonly path: string;
  readonly field: string;
}

/**
 * What an expression may read of a message. The message implements it; expressions know nothing else about messages.
 * All methods are synchronous: whoever evaluates a content-aware expression has loaded the body before.
 */
export interface Scope {
  /** The SOAP envelope around the XML view of the payload; built when first asked for. */
  envelope(): XmlElement;
  /** True when the payload is JSON (its JSON text is the primary form). */
  hasJson(): boolean;
  /** The payload as JSON: parsed, or converted from XML; undefined when there is no payload. */
  json(): JsonValue | undefined;
  /** What member names and item numbers lead to in `json()`; of a text that nobody has read no more than that is built. */
  jsonAt(keys: JsonKeys): JsonValue | undefined;
  /** The payload's JSON text; undefined unless `hasJson()`. */
  jsonText(): string | undefined;
  /** A property of any scope; undefined when absent. Values keep their type (string, number, element, JSON text …). */
  property(scope: PropertyScope, name: string): unknown;
  /** A transport header by its case-insensitive name. */
  header(name: string): string | undefined;
  variable(name: string): unknown;
  hasVariable(name: string): boolean;
  /** A parameter of the sequence template that is being run. */
  templateParameter(name: string): unknown;
  /** A configuration value of `${configs.name}`. */
  configuration(name: string): string | undefined;
  /** The text of a registry resource or local entry; undefined when absent. */
  resource(key: string): string | undefined;
  resourceProperty(key: string, property: string): string | undefined;
  /** A secret by its alias. */
  secret(alias: string): string | undefined;
  /**
   * A field of a secret in an external vault.
   *
   * @throws PendingValue while it is fetched, MillraceError `MR_VAULT` when there is none
   */
  vaultSecret(address: VaultAddress): string;
  /** The request's path and query (`To`), for `$url:`. */
  to(): string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** The time zone of dates in text, such as `Europe/Vienna`; UTC when absent. */
  timeZone?(): string;
  /** Reports an expression that evaluated to nothing because of an error. */
  warn(message: string, detail: string): void;
}

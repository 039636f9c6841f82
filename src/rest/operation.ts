import type { Peer } from '#transport';
import type { z, ZodType } from 'zod';

/** The schema builder, handed to schema functions so that declaring an operation does not load it. */
export type SchemaBuilder = typeof z;
/** Makes a schema when one is needed: for the first request or for the OpenAPI document. */
export type Schema<Value> = (z: SchemaBuilder) => ZodType<Value>;

export type RestMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who calls, as far as the API's `authenticate` found out. */
export interface Principal {
  readonly name: string;
  readonly tenant: string;
  hasScope(scope: string): boolean;
}

/** The connection on which a request came; absent in tests without sockets. */
export interface Connection {
  readonly peer: Peer;
  readonly localPort: number;
}

/** How a request body is read: parsed and checked JSON or form fields, multipart parts, text, or the bytes. */
export type BodyForm = 'json' | 'form' | 'multipart' | 'text' | 'bytes';

export interface OperationInput<Path, Query, Body> {
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly request: Request;
  readonly url: URL;
  /** Undefined on a public operation without credentials. */
  readonly principal: Principal | undefined;
  readonly tenant: string;
  readonly connection: Connection | undefined;
}

/** A call as its audit record sees it: also one that was refused before its input was read, or whose input is wrong. */
export interface AuditedCall<Path, Query, Body> {
  readonly path: Partial<Path>;
  readonly query: Partial<Query>;
  /** Undefined when it was not read, or is faulty. */
  readonly body: Body | undefined;
  readonly url: URL;
}

/** What the audit record of an operation tells (management 1.2). */
export interface AuditedChange {
  /** `created`, `deleted`, `updated`, `enabled`, `disabled`, `triggered`, or what else was done. */
  readonly action: string;
  /** What it was done to, such as `api_trace`. */
  readonly type: string;
  /** First the name of what was changed, then what is new about it. Without secrets: `pick` what may be told. */
  readonly info: Readonly<Record<string, unknown>>;
}

export interface ResponseDeclaration {
  readonly description: string;
  readonly schema?: Schema<unknown>;
  /** Media type; `application/json` when absent. */
  readonly type?: string;
}

export interface OperationFacts<Path, Query, Body> {
  /** `operationId` of the document; unique in its API. */
  readonly id: string;
  readonly method: RestMethod;
  /** Below the API's base path, with `{name}` for a segment and, last, `{name+}` for all the rest. */
  readonly path: string;
  readonly summary: string;
  readonly parameters?: { readonly path?: Schema<Path>; readonly query?: Schema<Query> };
  readonly body?: Schema<Body>;
  /** `json` when absent. */
  readonly bodyForm?: BodyForm;
  /** By status; the first of 2xx is what plain data is answered with. */
  readonly responses: Readonly<Record<number, ResponseDeclaration>>;
  /** The scope that a caller needs. An operation without one must say that it is public. */
  readonly scope?: string;
  readonly public?: true;
  /** `super` admits the super tenant only, `notSuper` every other one; `any` when absent. */
  readonly tenant?: 'any' | 'super' | 'notSuper';
  /** The name of the action in the audit, where it is no change of something. */
  readonly audit?: string;
  /** What the audit says was changed. Without it and `audit` writes are audited under their `id`, reads not at all. */
  audited?(call: AuditedCall<Path, Query, Body>): AuditedChange;
  /** Who the audit says it was, for operations that find out who calls; the caller when absent or undefined. */
  actor?(call: { readonly request: Request; readonly body: Body | undefined }): string | undefined;
  /** Answers with a `Response` as it is, plain data as JSON, or undefined as 204. */
  handle(input: OperationInput<Path, Query, Body>): unknown;
}

/** An operation whose types were checked where it was defined. */
export type Operation = OperationFacts<unknown, unknown, unknown>;

/**
 * Declares one operation of an administrative API. Without a schema, path parameters are strings, the query is a
 * record of strings (arrays when repeated) and the body is absent.
 */
export function defineOperation<
  Path = Readonly<Record<string, string>>,
  Query = Readonly<Record<string, string | readonly string[] | undefined>>,
  Body = undefined,
>(facts: OperationFacts<Path, Query, Body>): Operation {
  return Object.freeze(facts);
}

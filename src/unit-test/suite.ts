import type { ArtifactFile, PackedResource } from '#artifacts';
import type { Position } from '#errors';
import type { ActualValue } from './actual.ts';
import type { NamedFile } from './named-file.ts';

/** A suite as its file says it, with everything read that it names (mediators 17). */
export interface Suite {
  readonly file: string;
  /** What is tested: one sequence, proxy service or API. */
  readonly artifact: ArtifactFile;
  readonly supporting: readonly ArtifactFile[];
  readonly registry: readonly PackedResource[];
  readonly cases: readonly TestCase[];
  readonly services: readonly MockService[];
  /** Archives of connectors whose operations the artifacts call. */
  readonly connectors: readonly NamedFile[];
}

export interface TestCase {
  readonly name: string;
  readonly position: Position;
  readonly path: string;
  readonly method: string | undefined;
  readonly scheme: 'http' | 'https';
  readonly payload: string | undefined;
  readonly properties: readonly InputProperty[];
  readonly assertions: readonly Assertion[];
}

export interface InputProperty {
  readonly name: string;
  readonly value: string;
  readonly scope: 'default' | 'axis2' | 'transport';
}

export interface Assertion {
  readonly type: 'assertEquals' | 'assertNotNull';
  readonly actual: ActualValue;
  /** What must be there; undefined for `assertNotNull`. */
  readonly expected: string | undefined;
  /** What the author says about a failure. */
  readonly message: string;
  readonly position: Position;
}

/** A service that stands in for an endpoint. */
export interface MockService {
  /** Name of the endpoint, or the registry key under which it is found. */
  readonly name: string;
  readonly context: string;
  readonly resources: readonly MockResource[];
  readonly position: Position;
}

export interface MockResource {
  readonly path: string;
  readonly method: string;
  readonly request: MockMessage;
  readonly status: number;
  readonly response: MockMessage;
}

export interface MockMessage {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly payload: string | undefined;
}

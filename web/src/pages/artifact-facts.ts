import type { ArtifactRow } from '../api.ts';
import { indented } from '../indented.ts';

/** One artifact as the API tells it. */
export interface Artifact extends ArtifactRow {
  readonly actions: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
  readonly on: readonly OnNode[];
}

export interface OnNode {
  readonly node: string;
  readonly health: string;
  readonly state?: string;
  readonly hash: string;
  readonly isTraced: boolean;
  readonly hasStatistics: boolean;
  readonly readAt?: number;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** The source that a node has; empty where it shows none. */
export function sourceOf(detail: Readonly<Record<string, unknown>> | undefined): string {
  const source = detail?.['configuration'];
  return typeof source === 'string' ? indented(source) : '';
}

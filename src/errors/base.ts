/** What one failure says: to the client, to the log, and by which stable code. */
export interface ErrorFacts {
  /** Stable code: a number of the original's tables or `MR_<AREA>_<WHAT>`. */
  readonly code: string | number;
  /** Text that a client may see. */
  readonly message: string;
  /** HTTP status when the failure reaches a client; 500 when absent. */
  readonly status?: number;
  /** Further facts for the log only. */
  readonly detail?: string;
  readonly cause?: unknown;
}

/** Base of every error that Millrace raises on purpose. */
export class MillraceError extends Error {
  readonly code: string | number;
  readonly status: number;
  readonly detail: string | undefined;

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.code = facts.code;
    this.status = facts.status ?? 500;
    this.detail = facts.detail;
  }
}

/** The text of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Narrows anything that was thrown to an `Error`, so that it can be logged or wrapped. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

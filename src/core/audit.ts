import { toError } from '#errors';
import { auditShape } from './audit-line.ts';
import { type Clock, systemClock } from './clock.ts';
import { getLogger } from './log.ts';

/** Who did what to what, and how it ended. */
export interface AuditEvent {
  /** User or client; `anonymous` when nobody signed in. */
  readonly actor: string;
  readonly tenant: string;
  /** A verb such as `created`, `updated`, `deleted`, `login`. */
  readonly action: string;
  /** Kind and name of what it was done to, such as `api:Orders`. */
  readonly target: string;
  readonly outcome: 'success' | 'failure';
  /** What the original calls the kind of it, such as `api_trace`; what stands before the colon of `target` when absent. */
  readonly type?: string;
  /** What was changed: its name, and the values that it has now. Without secrets. */
  readonly info?: Readonly<Record<string, unknown>>;
  /** Facts of the call, without secrets. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface AuditRecord extends AuditEvent {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Takes audit events; never throws, so that what was done is not undone by its record. */
export interface Audit {
  record(event: AuditEvent): void;
}

export interface AuditOptions {
  /** Takes every record besides the log. */
  readonly sink?: (record: AuditRecord) => void | Promise<void>;
  readonly clock?: Clock;
}

const log = getLogger('audit');

/** Makes an audit that writes to the log area `audit` and to a sink, if there is one. */
export function createAudit(options: AuditOptions = {}): Audit {
  const { sink, clock = systemClock } = options;
  return {
    record(event) {
      const record = { at: clock.now(), ...event };
      log.info({ ...record, ...auditShape(record) }, 'audit');
      if (sink) void deliver(sink, record);
    },
  };
}

async function deliver(sink: NonNullable<AuditOptions['sink']>, record: AuditRecord): Promise<void> {
  try {
    await sink(record);
  } catch (error) {
    log.error({ ...record, err: toError(error) }, 'audit record was not stored');
  }
}

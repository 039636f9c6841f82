import { auditShape } from './audit-line.ts';
import type { AuditRecord } from './audit.ts';

/** The latest audit records, for people who look; the log has all of them. */
export interface AuditTrail {
  /** To be handed to `createAudit` as its sink. */
  readonly sink: (record: AuditRecord) => void;
  /** Records, newest first, that hold each word of `words` somewhere; at most `limit`. */
  list(options: { readonly words?: string | undefined; readonly limit: number }): readonly AuditRecord[];
}

/** Records that are kept. */
export const auditTrailLength = 2000;

/**
 * Keeps the latest records in memory; the oldest go first.
 *
 * @param next gets every record too
 * @param before records of the time before, oldest first
 */
export function createAuditTrail(
  next?: AuditTrail['sink'],
  before: readonly AuditRecord[] = [],
  length = auditTrailLength,
): AuditTrail {
  const records = before.slice(-length);
  return {
    sink(record) {
      records.push(record);
      if (records.length > length) records.shift();
      next?.(record);
    },
    list({ words = '', limit }) {
      const wanted = words.toLowerCase().split(/\s+/);
      const fits = (record: AuditRecord): boolean => {
        const { actor, action, target, outcome } = record;
        const { type, info } = auditShape(record);
        const text = `${actor} ${action} ${target} ${outcome} ${type} ${info}`.toLowerCase();
        return wanted.every((word) => text.includes(word));
      };
      return records.toReversed().filter(fits).slice(0, limit);
    },
  };
}

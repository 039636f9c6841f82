import type { AuditRecord } from './audit.ts';

/** The members by which readers of the original's audit know a record (management 1.2). */
export interface AuditShape {
  readonly performedBy: string;
  readonly type: string;
  /** An object as JSON: the name of what was changed, and what about it. */
  readonly info: string;
}

/** A record in the words of the original, which calls its action as we do. */
export function auditShape({ actor, target, type, info = {} }: AuditRecord): AuditShape {
  return { performedBy: actor, type: type ?? target.replace(/:.*/s, ''), info: JSON.stringify(info) };
}

/** The line of a record in the audit file: our members and those of the original. */
export function auditLine(record: AuditRecord): string {
  const line = { time: record.at, area: 'audit', ...record, ...auditShape(record), msg: 'audit' };
  return `${JSON.stringify(line)}\n`;
}

import { appendFileSync, mkdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { auditLine, createHome, logFileNames, systemClock, type AuditEvent } from '#core';

/** What a command does, for the record of it. */
export type CommandChange = Pick<AuditEvent, 'action' | 'target'>;

/**
 * Leaves a record of what a command did in `logs/audit.log` of the home: one line of JSON with the members of the
 * server's own records in its log. The actor is the account of the system that ran the command.
 */
export function recordChange(home: string, event: Omit<AuditEvent, 'actor'>): void {
  const { logs } = createHome(home);
  mkdirSync(logs, { recursive: true });
  const record = { at: systemClock.now(), actor: `shell:${userInfo().username}`, ...event };
  appendFileSync(join(logs, logFileNames.audit), auditLine(record), { mode: 0o600 });
}

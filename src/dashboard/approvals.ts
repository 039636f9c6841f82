import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { asList, asRecord, asText } from './json-shape.ts';

/** A place to which the runtimes' password may be sent. */
export interface Approval {
  /** Scheme, host and port of the management API. */
  readonly origin: string;
  /** Fingerprint of the certificate that it showed; undefined when trusted certificates vouch for it. */
  readonly fingerprint: string | undefined;
  /** Who approved it. */
  readonly by: string;
}

/** Approved runtimes, kept in a file so that a restart needs no new decision. */
export interface Approvals {
  find(origin: string): Approval | undefined;
  add(approval: Approval): void;
  remove(origin: string): void;
}

/** Opens the approvals of a file that need not exist; without a file they live in memory. */
export function openApprovals(file: string | undefined): Approvals {
  const known = new Map<string, Approval>();
  if (file !== undefined && existsSync(file)) {
    for (const item of asList(asRecord(JSON.parse(readFileSync(file, 'utf8')))['approved']).map(asRecord)) {
      const origin = asText(item['origin']);
      if (origin === undefined) continue;
      known.set(origin, { origin, fingerprint: asText(item['fingerprint']), by: asText(item['by']) ?? '' });
    }
  }
  const save = (): void => {
    if (file === undefined) return;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, `${JSON.stringify({ approved: [...known.values()] }, undefined, 2)}\n`, {
      mode: 0o600,
    });
    renameSync(`${file}.new`, file);
  };
  return {
    find: (origin) => known.get(origin),
    add(approval) {
      known.set(approval.origin, approval);
      save();
    },
    remove(origin) {
      if (known.delete(origin)) save();
    },
  };
}

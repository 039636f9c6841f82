import { auditShape, auditTrailLength } from '#core';
import { defineOperation, type Operation } from '#rest';
import { listOf } from '../conventions.ts';
import type { ManagedRuntime } from '../runtime.ts';

/** `/millrace/audit`: who did what on the administrative APIs of this runtime. */
export function auditOperations({ auditTrail }: ManagedRuntime): readonly Operation[] {
  return [
    defineOperation({
      id: 'getAudit',
      method: 'GET',
      path: '/millrace/audit',
      summary: `The latest audit records, newest first, with the words of q; the log has those before the last ${auditTrailLength}`,
      parameters: {
        query: (z) =>
          z.object({
            q: z.string().max(200).optional(),
            limit: z.coerce.number().int().min(1).max(auditTrailLength).default(200),
          }),
      },
      responses: { 200: { description: 'The list under count and list' } },
      scope: 'admin',
      handle: ({ query: { q, limit } }) =>
        listOf(auditTrail.list({ words: q, limit }).map((record) => ({ ...record, ...auditShape(record) }))),
    }),
  ];
}

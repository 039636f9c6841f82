import { auditShape, auditTrailLength, type AuditTrail } from '#core';
import { defineOperation, type Operation } from '#rest';

/** `/audit`: who did what on the dashboard itself; what runtimes say is asked of each. */
export function auditOperations(trail: AuditTrail): readonly Operation[] {
  return [
    defineOperation({
      id: 'listAudit',
      method: 'GET',
      path: '/audit',
      summary: 'The latest audit records of the dashboard, newest first, with the words of q',
      parameters: {
        query: (z) =>
          z.object({
            q: z.string().max(200).optional(),
            limit: z.coerce.number().int().min(1).max(auditTrailLength).default(200),
          }),
      },
      responses: { 200: { description: 'Records' } },
      scope: 'administer',
      handle: ({ query: { q, limit } }) => ({
        list: trail.list({ words: q, limit }).map((record) => ({ ...record, ...auditShape(record) })),
      }),
    }),
  ];
}

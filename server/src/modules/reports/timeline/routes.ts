import { Type } from 'typebox';

import type { Reader } from '../../../platform/db/database.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { findOrder, orderNotFound } from '../../orders/index.ts';
import { listAdmins } from '../admins-store.ts';
import { adminUserSchema } from '../orders/attempt-wire.ts';
import { listTimeline } from './timeline-store.ts';

const entrySchema = Type.Object({
  at: Type.String({ format: 'date-time' }),
  kind: Type.String({
    description:
      'status, payment, callback, verification, refund, attempt, purchase, partner_call, email, alert, note or admin',
  }),
  title: Type.String(),
  admin_user: Type.Union([adminUserSchema, Type.Null()]),
  details: Type.Record(Type.String(), Type.Unknown(), { description: 'Never a code, pin or credential' }),
});

export function timelineRoutes(deps: { readonly db: Reader }): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/orders/:id/timeline',
      access: { permission: 'orders:read' },
      summary: 'Everything that happened to an order, oldest first',
      tag: 'Orders',
      params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
      query: Type.Object({ ...pageQuery, limit: Type.Integer({ minimum: 1, maximum: 100, default: 100 }) }),
      data: pageSchema(entrySchema),
      errors: ['NOT_FOUND'],
      handle: async ({ params, query: { page, limit } }) => {
        const [order, { rows, total }] = await Promise.all([
          findOrder(deps.db, params.id),
          listTimeline(deps.db, params.id, { limit, offset: (page - 1) * limit }),
        ]);
        if (!order) throw orderNotFound();
        const ids = [...new Set(rows.flatMap((row) => row.admin_id ?? []))];
        const admins = await listAdmins(deps.db, ids);
        const entries = rows.map((row) => ({
          at: row.at.toISOString(),
          kind: row.kind,
          title: row.title,
          admin_user: admins.find((admin) => admin.id === row.admin_id) ?? null,
          details: row.details,
        }));
        return pageOf(entries, { page, limit, total });
      },
    }),
  ];
}

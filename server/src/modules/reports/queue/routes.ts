import { Type } from 'typebox';

import type { Reader } from '../../../platform/db/database.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import type { Clock } from '../../../platform/time.ts';
import { listNeedingAttention, listQueuedItems } from './queue-store.ts';
import { queuedOrderSchema, toQueuedOrderWire } from './queue-wire.ts';

export interface QueueDeps {
  readonly db: Reader;
  readonly clock: Clock;
}

export function queueRoutes(deps: QueueDeps): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/orders/needs-attention',
      access: { permission: 'orders:read' },
      summary: 'Paid orders that wait for a person, the longest waiting first',
      description: 'Each with its age, why it is here, what to do first, and who has it.',
      tag: 'Orders',
      query: Type.Object({
        ...pageQuery,
        owner: Type.Optional(
          Type.String({
            pattern: '^(me|none|[1-9][0-9]{0,14})$',
            description: '`me`, `none` or an operator’s id',
          }),
        ),
        search: Type.Optional(Type.String({ maxLength: 40, description: 'An order number' })),
      }),
      data: pageSchema(queuedOrderSchema),
      handle: async ({ query, caller }) => {
        const { page, limit, search } = query;
        const filter = { owner: ownerIn(query.owner, caller.adminId), search: search?.trim() || null };
        const { rows, total } = await listNeedingAttention(deps.db, filter, {
          limit,
          offset: (page - 1) * limit,
        });
        const items = await listQueuedItems(
          deps.db,
          rows.map(({ id }) => id),
        );
        const now = deps.clock.now();
        const queued = rows.map((row) =>
          toQueuedOrderWire(
            row,
            items.filter(({ orderId }) => orderId === row.id),
            now,
          ),
        );
        return pageOf(queued, { page, limit, total });
      },
    }),
  ];
}

function ownerIn(text: string | undefined, adminId: number): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'none') return null;
  return text === 'me' ? adminId : Number(text);
}

import { Type } from 'typebox';
import type { Static } from 'typebox';

import { toEventBody } from '../event-body.ts';
import type { ListedDelivery } from './delivery-store.ts';

const time = Type.String({ format: 'date-time' });
const nullableTime = Type.Union([time, Type.Null()]);

export const deliverySchema = Type.Object({
  id: Type.Integer(),
  webhook_id: Type.Integer(),
  event_id: Type.String({ description: '`webhook-id` of the request' }),
  event_type: Type.String(),
  stream: Type.String({ description: 'What it is kept in order with: `order:17`' }),
  sequence: Type.Integer({ description: 'Place in the log of all events' }),
  status: Type.String({ description: 'pending, succeeded or parked' }),
  next_attempt_at: Type.Union([time, Type.Null()], {
    description: 'Null when it is over, or waits for an earlier one of its stream',
  }),
  created_at: time,
  finished_at: nullableTime,
  request: Type.Object({ body: Type.Record(Type.String(), Type.Unknown()) }),
  attempts: Type.Array(
    Type.Object({
      url: Type.String(),
      started_at: time,
      duration_ms: Type.Integer(),
      response_status: Type.Union([Type.Integer(), Type.Null()]),
      response_body: Type.Union([Type.String(), Type.Null()], { description: 'Its first 2,000 characters' }),
      error: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
});

export function toDelivery(row: ListedDelivery): Static<typeof deliverySchema> {
  const { event_id: id, event_type: type, data, occurred_at } = row;
  return {
    id: row.id,
    webhook_id: row.endpoint_id,
    event_id: id,
    event_type: type,
    stream: row.stream,
    sequence: row.sequence,
    status: row.status,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    request: { body: { ...toEventBody({ id, type, data, occurred_at }) } },
    attempts: row.log.map((attempt) => ({
      ...attempt,
      started_at: new Date(attempt.started_at).toISOString(),
    })),
  };
}

import { Type } from 'typebox';
import type { Static } from 'typebox';

import type { StoredAlertRow } from './alert-admin-store.ts';

const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const timestamp = Type.String({ format: 'date-time' });

/** Decisions 6.7. */
export const alertSchema = Type.Object({
  id: Type.Integer(),
  type: Type.String(),
  severity: Type.String({ description: 'info, warning or critical' }),
  status: Type.String({ description: 'open or resolved' }),
  order_id: nullable(Type.Integer()),
  cause: Type.String({ description: 'What it is about: while one is open, the same cause opens no second' }),
  message: Type.String({ description: 'What happened and what to do' }),
  details: Type.Record(Type.String(), Type.Unknown()),
  acknowledged_at: nullable(timestamp),
  acknowledged_by: nullable(Type.Integer()),
  resolution_notes: nullable(Type.String()),
  resolved_by: nullable(Type.Integer({ description: 'Null when the service resolved it itself' })),
  created_at: timestamp,
  resolved_at: nullable(timestamp),
});

export function toAlertWire(row: StoredAlertRow): Static<typeof alertSchema> {
  return {
    id: row.id,
    type: row.type,
    severity: row.severity,
    status: row.status,
    order_id: row.order_id,
    cause: row.cause,
    message: row.message,
    details: row.details,
    acknowledged_at: row.acknowledged_at?.toISOString() ?? null,
    acknowledged_by: row.acknowledged_by,
    resolution_notes: row.resolution_notes,
    resolved_by: row.resolved_by,
    created_at: row.created_at.toISOString(),
    resolved_at: row.resolved_at?.toISOString() ?? null,
  };
}

import { Type } from 'typebox';
import type { Static } from 'typebox';

import { eventTypes } from '../event-catalogue.ts';
import type { EndpointHealth, WebhookEndpointRow } from './endpoint-store.ts';

const nullableTime = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);

export const endpointBody = {
  url: Type.String({ minLength: 1, maxLength: 2000, description: 'https; private addresses are refused' }),
  events: Type.Array(Type.Union([Type.Literal('*'), ...eventTypes.map((type) => Type.Literal(type))]), {
    minItems: 1,
    maxItems: 50,
    description: "Kinds of events, or ['*'] for all",
  }),
  description: Type.String({ maxLength: 500 }),
};

export const endpointSchema = Type.Object({
  id: Type.Integer(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  description: Type.String(),
  is_active: Type.Boolean(),
  disabled_reason: Type.Union([Type.String(), Type.Null()], {
    description: 'operator, gone (it answered 410) or failing (nothing got through for five days)',
  }),
  failing_since: nullableTime,
  previous_secret_until: nullableTime,
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});

export const endpointWithSecretSchema = Type.Object({
  ...endpointSchema.properties,
  secret: Type.String({ description: '`whsec_…`, to verify signatures with. Shown this once.' }),
});

export const endpointWithHealthSchema = Type.Object({
  ...endpointSchema.properties,
  health: Type.Object({
    pending: Type.Integer(),
    succeeded: Type.Integer(),
    parked: Type.Integer({ description: 'Given up; redeliver or replay sends them again' }),
    last_delivered_at: nullableTime,
  }),
});

export function toEndpoint(row: WebhookEndpointRow): Static<typeof endpointSchema> {
  return {
    id: row.id,
    url: row.url,
    events: [...row.events],
    description: row.description,
    is_active: row.status === 'active',
    disabled_reason: row.disabled_reason,
    failing_since: row.failing_since?.toISOString() ?? null,
    previous_secret_until: row.previous_secret_until?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export const toHealth = (health: EndpointHealth) => ({
  ...health,
  last_delivered_at: health.last_delivered_at?.toISOString() ?? null,
});

/** What the audit log keeps of an endpoint: never a secret. */
export const auditedEndpoint = ({ url, events, status, description }: WebhookEndpointRow) => ({
  url,
  events,
  status,
  description,
});

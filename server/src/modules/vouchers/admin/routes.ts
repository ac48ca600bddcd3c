import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import { answer, endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { changeVoucher, lookUpCode, revealVoucher, voidVouchers } from './handle-voucher.ts';
import type { HandleVoucherDeps } from './handle-voucher.ts';
import { listVouchers, voucherSorts } from './voucher-list-store.ts';
import type { VoucherSort } from './voucher-list-store.ts';
import {
  openSecrets,
  storedVoucherSchema,
  toMaskedVoucherWire,
  toStoredVoucherWire,
} from './voucher-wire.ts';

const tag = 'Voucher vault';
const read = { permission: 'vouchers:read' } as const;
const write = { permission: 'vouchers:write' } as const;
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });
const id = Type.Optional(Type.Integer({ minimum: 1 }));
const moment = Type.Optional(Type.String({ format: 'date-time' }));
const reason = Type.String({ minLength: 3, maxLength: 500, description: 'Goes into the audit log' });

export function voucherRoutes(deps: HandleVoucherDeps): Endpoint[] {
  return [listRoute(deps), revealRoute(deps), lookUpRoute(deps), changeRoute(deps), voidRoute(deps)];
}

const dateOf = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(text);

function listRoute(deps: HandleVoucherDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/vouchers',
    access: read,
    summary: 'Stored codes, masked',
    tag,
    query: Type.Object({
      ...pageQuery,
      variant_id: id,
      status: Type.Optional(Type.Enum(['available', 'reserved', 'assigned', 'voided'])),
      source_type: Type.Optional(Type.Enum(['PRELOADED', 'PARTNER', 'MANUAL'])),
      batch_id: id,
      partner_id: id,
      order_id: id,
      order_item_id: id,
      expires_before: moment,
      expires_after: moment,
      sort: Type.Optional(Type.Enum(Object.keys(voucherSorts) as VoucherSort[])),
    }),
    data: pageSchema(storedVoucherSchema),
    handle: async ({ query }) => {
      const { page, limit } = query;
      const filter = {
        variantId: query.variant_id,
        status: query.status,
        sourceType: query.source_type,
        batchId: query.batch_id,
        partnerId: query.partner_id,
        orderId: query.order_id,
        orderItemId: query.order_item_id,
        expiresBefore: dateOf(query.expires_before),
        expiresAfter: dateOf(query.expires_after),
        sort: query.sort ?? '-id',
      };
      const { rows, total } = await listVouchers(deps.db, filter, { limit, offset: (page - 1) * limit });
      return pageOf(
        rows.map((row) => toMaskedVoucherWire(deps.box, row)),
        { page, limit, total },
      );
    },
  });
}

function revealRoute(deps: HandleVoucherDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/vouchers/:id/reveal',
    access: { permission: 'vouchers:reveal' },
    summary: 'Show one code plain; who asked and why is written down',
    tag,
    params,
    body: Type.Object({ reason }),
    data: storedVoucherSchema,
    errors: ['NOT_FOUND'],
    limits: [{ name: 'vouchers_reveal', per: 'caller', requests: 60, windowSeconds: 3_600 }],
    handle: async (call) => {
      const row = await revealVoucher(deps, {
        id: call.params.id,
        reason: call.body.reason,
        actor: auditActor(call),
      });
      return toStoredVoucherWire(row, openSecrets(deps.box, row));
    },
  });
}

const lookedUpSchema = Type.Interface([storedVoucherSchema], {
  order_id: Type.Union([Type.Integer(), Type.Null()]),
  order_number: Type.Union([Type.String(), Type.Null()]),
});

function lookUpRoute(deps: HandleVoucherDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/vouchers/lookup',
    access: read,
    summary: 'Find a code by itself, whole: what it is and whose',
    tag,
    body: Type.Object({ code: Type.String({ minLength: 1, maxLength: 500 }) }),
    data: Type.Object({ items: Type.Array(lookedUpSchema) }),
    errors: ['NOT_FOUND'],
    limits: [{ name: 'vouchers_lookup', per: 'caller', requests: 120, windowSeconds: 3_600 }],
    handle: async (call) => {
      const rows = await lookUpCode(deps, { code: call.body.code, actor: auditActor(call) });
      return {
        items: rows.map((row) => ({
          ...toMaskedVoucherWire(deps.box, row),
          order_id: row.order_id,
          order_number: row.order_number,
        })),
      };
    },
  });
}

function changeRoute(deps: HandleVoucherDeps): Endpoint {
  return endpoint({
    method: 'PATCH',
    path: '/vouchers/:id',
    access: write,
    summary: 'Change expiry, metadata or note; what is left out stays',
    tag,
    params,
    body: Type.Object({
      expires_at: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
      metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      note: Type.Optional(Type.Union([Type.String({ maxLength: 1000 }), Type.Null()])),
    }),
    data: storedVoucherSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async (call) => {
      const { expires_at: expiresAt, metadata, note } = call.body;
      const row = await changeVoucher(deps, {
        id: call.params.id,
        expiresAt: typeof expiresAt === 'string' ? new Date(expiresAt) : expiresAt,
        metadata,
        note,
        actor: auditActor(call),
      });
      return toMaskedVoucherWire(deps.box, row);
    },
  });
}

function voidRoute(deps: HandleVoucherDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/vouchers/void',
    access: write,
    summary: 'Take available codes out of the sale for good',
    tag,
    body: Type.Object({
      ids: Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, maxItems: 1_000 }),
      reason,
    }),
    data: Type.Object({
      voided: Type.Integer(),
      results: Type.Array(
        Type.Object({
          id: Type.Integer(),
          outcome: Type.String({
            description: 'voided, not_available (held, delivered or voided before) or unknown',
          }),
        }),
      ),
    }),
    handle: async (call) => {
      const results = await voidVouchers(deps, { ...call.body, actor: auditActor(call) });
      const voided = results.filter(({ outcome }) => outcome === 'voided').length;
      return answer({ voided, results }, { message: `${voided} code(s) voided` });
    },
  });
}

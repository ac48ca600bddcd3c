import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { secondsAfter } from '../../../platform/time.ts';
import { listCalls } from '../purchases/call-store.ts';
import { requeryPurchase, resolvePurchase } from './settle-by-hand.ts';
import type { SettleByHandDeps } from './settle-by-hand.ts';
import { findTransaction, listTransactions } from './transaction-list-store.ts';
import {
  resolveBody,
  toCallWire,
  toTransactionWire,
  transactionDetailSchema,
  transactionSchema,
  transactionStatusSchema,
} from './transaction-wire.ts';
import type { TransactionDetailWire } from './transaction-wire.ts';

const tag = 'Partner transactions';
const id = Type.Integer({ minimum: 1 });
const params = Type.Object({ id });

export function transactionRoutes(deps: SettleByHandDeps): Endpoint[] {
  return [...readRoutes(deps), ...settleRoutes(deps)];
}

function readRoutes(deps: SettleByHandDeps): Endpoint[] {
  const { db, box } = deps;
  const read = { permission: 'partners:read' } as const;
  return [
    endpoint({
      method: 'GET',
      path: '/partner-transactions',
      access: read,
      summary: 'Purchases from partners, newest first',
      tag,
      query: Type.Object({
        ...pageQuery,
        status: Type.Optional(transactionStatusSchema),
        partner_id: Type.Optional(id),
        order_id: Type.Optional(id),
        older_than_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 31_536_000 })),
        search: Type.Optional(
          Type.String({ maxLength: 120, description: 'Our reference or the partner’s id' }),
        ),
      }),
      data: pageSchema(transactionSchema),
      async handle({ query }) {
        const { page, limit, older_than_seconds: age } = query;
        const { rows, total } = await listTransactions(db, {
          status: query.status ?? null,
          partnerId: query.partner_id ?? null,
          orderId: query.order_id ?? null,
          createdBefore: age === undefined ? null : secondsAfter(deps.clock.now(), -age),
          search: query.search ?? null,
          limit,
          offset: (page - 1) * limit,
        });
        const items = rows.map((row) => toTransactionWire(row, { box, isRevealed: false }));
        return pageOf(items, { page, limit, total });
      },
    }),
    endpoint({
      method: 'GET',
      path: '/partner-transactions/:id',
      access: read,
      summary: 'One purchase with every exchange about it',
      description: '`reveal=true` needs `vouchers:reveal`: the code and the raw answers, and an audit row.',
      tag,
      params,
      query: Type.Object({ reveal: Type.Optional(Type.Boolean()) }),
      data: transactionDetailSchema,
      errors: ['NOT_FOUND'],
      async handle(call) {
        const isRevealed = call.query.reveal === true;
        if (isRevealed) await auditReveal(deps, call);
        return readDetail(deps, { id: call.params.id, isRevealed });
      },
    }),
  ];
}

function settleRoutes(deps: SettleByHandDeps): Endpoint[] {
  const write = { permission: 'orders:recover' } as const;
  return [
    endpoint({
      method: 'POST',
      path: '/partner-transactions/:id/requery',
      access: write,
      summary: 'Ask the partner now what became of a purchase',
      tag,
      params,
      data: transactionDetailSchema,
      errors: ['NOT_FOUND', 'CONFLICT', 'BAD_REQUEST'],
      async handle(call) {
        await requeryPurchase(deps, { id: call.params.id, actor: auditActor(call) });
        return readDetail(deps, { id: call.params.id, isRevealed: false });
      },
    }),
    endpoint({
      method: 'POST',
      path: '/partner-transactions/:id/resolve',
      access: write,
      summary: 'Settle an unclear purchase by hand, with evidence',
      tag,
      params,
      body: resolveBody,
      data: transactionDetailSchema,
      errors: ['NOT_FOUND', 'CONFLICT'],
      async handle(call) {
        await resolvePurchase(deps, { id: call.params.id, actor: auditActor(call), body: call.body });
        return readDetail(deps, { id: call.params.id, isRevealed: false });
      },
    }),
  ];
}

async function readDetail(
  { db, box }: SettleByHandDeps,
  wanted: { id: number; isRevealed: boolean },
): Promise<TransactionDetailWire> {
  const shown = { box, isRevealed: wanted.isRevealed };
  const [row, calls] = await Promise.all([findTransaction(db, wanted.id), listCalls(db, wanted.id)]);
  if (!row) throw new AppError('NOT_FOUND', 'There is no such partner transaction');
  return { ...toTransactionWire(row, shown), calls: calls.map((call) => toCallWire(call, shown)) };
}

type RevealCall = Parameters<typeof auditActor>[0] & { readonly params: { readonly id: number } };

async function auditReveal(deps: SettleByHandDeps, call: RevealCall): Promise<void> {
  if (!call.caller.permissions.has('vouchers:reveal'))
    throw new AppError('FORBIDDEN', 'Your roles lack the permission vouchers:reveal');
  await inTransaction(deps.db, (tx) =>
    deps.recordAudit(tx, {
      ...auditActor(call),
      action: 'partner-transactions:reveal',
      resource: `partner-transactions:${call.params.id}`,
    }),
  );
}

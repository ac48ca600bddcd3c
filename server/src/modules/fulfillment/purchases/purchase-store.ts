import type { Reader, Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';
import { openStatuses, purchaseStates } from './purchase-states.ts';
import type { PurchaseFact, PurchaseStatus } from './purchase-states.ts';

/** What was asked for, as it was when it was asked: a later change of the source changes no purchase. */
export interface PurchaseRequest {
  readonly product: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly input: Readonly<Record<string, string>>;
  readonly cost_minor: number | null;
}

export interface PurchaseRow {
  readonly id: number;
  readonly order_item_id: number;
  readonly unit_no: number;
  readonly partner_id: number | null;
  readonly source_id: number | null;
  readonly reference: string;
  readonly correlation_id: string;
  readonly admin_id: number | null;
  readonly round: number;
  readonly status: PurchaseStatus;
  readonly request: PurchaseRequest;
  readonly response: Readonly<Record<string, unknown>>;
  readonly failure_reason: string | null;
  readonly is_transient: boolean;
  readonly retry_after_seconds: number | null;
  readonly partner_transaction_id: string | null;
  readonly voucher_id: number | null;
  readonly next_step_at: Date | null;
  readonly query_step: number;
  readonly first_sent_at: Date | null;
  readonly last_sent_at: Date | null;
  readonly answered_at: Date | null;
  readonly resolved_by: number | null;
  readonly resolution_notes: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Of its item and partner. */
  readonly order_id: number;
  readonly variant_id: number;
  readonly mode: 'CODE' | 'TOPUP';
  readonly partner_name: string | null;
}

export interface NewPurchase {
  readonly order_item_id: number;
  readonly unit_no: number;
  readonly partner_id: number;
  readonly source_id: number;
  readonly reference: string;
  readonly correlation_id: string;
  readonly admin_id: number | null;
  readonly round: number;
  readonly request: PurchaseRequest;
  readonly next_step_at: Date;
}

const insert = statement(
  'purchases_insert',
  `INSERT INTO partner_api_transactions (order_item_id, unit_no, partner_id, source_id, reference, correlation_id,
     admin_id, round, request, next_step_at)
   SELECT order_item_id, unit_no, NULLIF(partner_id, 0), source_id, reference, correlation_id, admin_id, round, request,
     next_step_at
   FROM jsonb_to_recordset($1::jsonb) AS purchase(order_item_id bigint, unit_no int, partner_id bigint, source_id bigint,
     reference text, correlation_id uuid, admin_id bigint, round int, request jsonb, next_step_at timestamptz)
   RETURNING id`,
);

const columns = `
  SELECT purchase.*, item.order_id, item.variant_id, item.mode, partner.name AS partner_name
  FROM partner_api_transactions AS purchase
  JOIN order_items AS item ON item.id = purchase.order_item_id
  LEFT JOIN partners AS partner ON partner.id = purchase.partner_id`;
const find = statement('purchases_find', `${columns} WHERE purchase.id = $1`);
const lock = statement('purchases_lock', `${columns} WHERE purchase.id = $1 FOR UPDATE OF purchase`);
const listOfItems = statement(
  'purchases_list_of_items',
  `${columns} WHERE purchase.order_item_id = ANY ($1) ORDER BY purchase.id`,
);

// The status moves only along the edges of the fact; nobody else may have moved it meanwhile.
const setStatus = statement(
  'purchases_set_status',
  `UPDATE partner_api_transactions
   SET status = $2, response = response || $4::jsonb, failure_reason = $5, is_transient = $6, retry_after_seconds = $7,
     partner_transaction_id = COALESCE($8, partner_transaction_id), voucher_id = COALESCE($9, voucher_id),
     next_step_at = $10, query_step = $11, answered_at = COALESCE($12, answered_at),
     resolved_by = COALESCE($13, resolved_by), resolution_notes = COALESCE($14, resolution_notes)
   WHERE id = $1 AND status = ANY ($3)`,
);

const setSent = statement(
  'purchases_set_sent',
  `UPDATE partner_api_transactions
   SET status = 'SENT', first_sent_at = COALESCE(first_sent_at, $2), last_sent_at = $2, next_step_at = $3
   WHERE id = $1 AND status = ANY ($4)`,
);

const setNextStep = statement(
  'purchases_set_next_step',
  'UPDATE partner_api_transactions SET next_step_at = $2, query_step = $3 WHERE id = $1',
);

// Moved on, so that it is the others' turn next: purchases whose step fails every time go behind all that were due
// before them, and a worker that dies with one leaves it to be taken again. Rows that somebody is just changing are
// stepped over.
const takeDue = statement(
  'purchases_take_due',
  `UPDATE partner_api_transactions SET next_step_at = $2
   WHERE id IN (SELECT id FROM partner_api_transactions WHERE next_step_at <= $1 ORDER BY next_step_at, id LIMIT $3
                FOR UPDATE SKIP LOCKED)
   RETURNING id`,
);

const listOpen = statement(
  'purchases_list_open',
  `SELECT id FROM partner_api_transactions
   WHERE order_item_id = $1 AND status = ANY ($2) AND partner_id IS NOT NULL ORDER BY id`,
);

const listBegun = statement(
  'purchases_list_begun_items',
  `SELECT DISTINCT purchase.order_item_id FROM partner_api_transactions AS purchase
   JOIN order_items AS item ON item.id = purchase.order_item_id WHERE item.order_id = $1`,
);

/** Items of an order that were begun to be bought from partners. */
export async function listItemsBeingBought(reader: Reader, orderId: number): Promise<Set<number>> {
  const { rows } = await reader.query<{ order_item_id: number }>(listBegun, [orderId]);
  return new Set(rows.map((row) => row.order_item_id));
}

/** @returns their ids, in the order given. A unit that has a purchase under way or done refuses another. */
export async function insertPurchases(tx: Tx, purchases: readonly NewPurchase[]): Promise<number[]> {
  if (purchases.length === 0) return [];
  return (await tx.query<{ id: number }>(insert, [JSON.stringify(purchases)])).rows.map(({ id }) => id);
}

export async function findPurchase(reader: Reader, id: number): Promise<PurchaseRow | undefined> {
  return (await reader.query<PurchaseRow>(find, [id])).rows[0];
}

export async function lockPurchase(tx: Tx, id: number): Promise<PurchaseRow | undefined> {
  return (await tx.query<PurchaseRow>(lock, [id])).rows[0];
}

/** All of these items, oldest first. */
export async function listPurchasesOfItems(
  reader: Reader,
  itemIds: readonly number[],
): Promise<PurchaseRow[]> {
  if (itemIds.length === 0) return [];
  return (await reader.query<PurchaseRow>(listOfItems, [itemIds])).rows;
}

export interface PurchaseChange {
  readonly id: number;
  readonly fact: Exclude<PurchaseFact, 'sent'>;
  readonly to: PurchaseStatus;
  readonly response?: Readonly<Record<string, unknown>>;
  readonly reason?: string | null;
  readonly isTransient?: boolean;
  readonly retryAfterSeconds?: number | null;
  readonly partnerTransactionId?: string | null;
  readonly voucherId?: number | null;
  readonly nextStepAt?: Date | null;
  readonly queryStep: number;
  readonly at: Date;
  readonly resolvedBy?: number | null;
  readonly resolutionNotes?: string | null;
}

/** The one way a purchase's status changes, calls aside. @returns false when the fact changes nothing in its state. */
export async function applyPurchaseFact(tx: Tx, change: PurchaseChange): Promise<boolean> {
  const { id, fact, to, queryStep, at } = change;
  const { count } = await tx.query(setStatus, [
    id,
    to,
    purchaseStates.sources(fact, to),
    JSON.stringify(change.response ?? {}),
    change.reason ?? null,
    change.isTransient ?? false,
    change.retryAfterSeconds ?? null,
    change.partnerTransactionId ?? null,
    change.voucherId ?? null,
    change.nextStepAt ?? null,
    queryStep,
    at,
    change.resolvedBy ?? null,
    change.resolutionNotes ?? null,
  ]);
  return count === 1;
}

/** Whoever gets true makes the call, before `leaseUntil`; nobody else does. */
export async function markPurchaseSent(
  tx: Tx,
  sent: { id: number; at: Date; leaseUntil: Date },
): Promise<boolean> {
  const from = purchaseStates.sources('sent', 'SENT');
  return (await tx.query(setSent, [sent.id, sent.at, sent.leaseUntil, from])).count === 1;
}

export async function reschedulePurchase(
  tx: Tx,
  next: { id: number; at: Date | null; queryStep: number },
): Promise<void> {
  await tx.query(setNextStep, [next.id, next.at, next.queryStep]);
}

/** Takes purchases whose next step is due, longest due first, until `until`: whoever was given them does the step. */
export async function takeDuePurchases(
  tx: Tx,
  due: { at: Date; until: Date; limit: number },
): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(takeDue, [due.at, due.until, due.limit]);
  return rows.map(({ id }) => id);
}

/** Purchases of an item that nobody knows the end of: while there is one, nothing may be bought. */
export async function listOpenPurchases(reader: Reader, orderItemId: number): Promise<number[]> {
  return (await reader.query<{ id: number }>(listOpen, [orderItemId, openStatuses])).rows.map(({ id }) => id);
}

import type { AuditActor, RecordAudit } from '../../../platform/audit.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { pageOf } from '../../../platform/http/envelope.ts';
import type { Page } from '../../../platform/http/envelope.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { findOrder, listOrderItems, orderNotFound } from '../../orders/index.ts';
import {
  listStoredVouchers,
  listStoredVouchersOfItems,
  maskSecrets,
  openSecrets,
  toStoredVoucherWire,
} from '../../vouchers/index.ts';
import type { StoredVoucherRow } from '../../vouchers/index.ts';
import { listAttemptsOfOrder } from './attempt-store.ts';
import type { AttemptRow } from './attempt-store.ts';
import { idsOf, toAttemptWire } from './attempt-wire.ts';
import type { AttemptWire } from './attempt-wire.ts';
import { readOrderSurroundings } from './order-detail-store.ts';
import { toOrderDetailWire } from './order-detail-wire.ts';
import type { OrderDetailWire } from './order-detail-wire.ts';

export interface ReadOrderDeps {
  readonly db: Database;
  readonly box: SecretBox;
  readonly recordAudit: RecordAudit;
}

export interface OperatorRead {
  readonly orderId: number;
  /** With `vouchers:reveal`: codes are shown plain, and that is written down. */
  readonly mayReveal: boolean;
  readonly actor: AuditActor;
}

const ATTEMPTS_SHOWN = 50;

/** @throws NOT_FOUND */
export async function readOrderForOperator(
  deps: ReadOrderDeps,
  read: OperatorRead,
): Promise<OrderDetailWire> {
  return inTransaction(deps.db, async (tx) => {
    const { orderId, mayReveal } = read;
    const [order, items, around, attempts] = await Promise.all([
      findOrder(tx, orderId),
      listOrderItems(tx, [orderId]),
      readOrderSurroundings(tx, orderId),
      listAttemptsOfOrder(tx, orderId, { limit: ATTEMPTS_SHOWN, offset: 0 }),
    ]);
    if (!order) throw orderNotFound();
    const [own, ofAttempts] = await Promise.all([
      listStoredVouchersOfItems(
        tx,
        items.map((item) => item.id),
      ),
      listStoredVouchers(tx, attempts.rows.flatMap(idsOf)),
    ]);
    const secrets = await showSecrets(deps, tx, { read, rows: [...own, ...ofAttempts] });
    return toOrderDetailWire({
      order,
      items,
      vouchers: own.map((row) => toStoredVoucherWire(row, secrets.shown(row))),
      codes: secrets.differentCodes(own),
      isMasked: !mayReveal,
      attempts: attempts.rows.map((row) => toAttemptWire(row, secrets.codes)),
      around,
    });
  });
}

/** @throws NOT_FOUND */
export async function readAttempts(
  deps: ReadOrderDeps,
  read: OperatorRead & { readonly page: number; readonly limit: number },
): Promise<Page<AttemptWire>> {
  const { orderId, page, limit } = read;
  return inTransaction(deps.db, async (tx) => {
    const [order, { rows, total }] = await Promise.all([
      findOrder(tx, orderId),
      listAttemptsOfOrder(tx, orderId, { limit, offset: (page - 1) * limit }),
    ]);
    if (!order) throw orderNotFound();
    const codes = await codesOf(deps, tx, { read, attempts: rows });
    return pageOf(
      rows.map((row) => toAttemptWire(row, codes)),
      { page, limit, total },
    );
  });
}

async function codesOf(
  deps: ReadOrderDeps,
  tx: Tx,
  { read, attempts }: { read: OperatorRead; attempts: readonly AttemptRow[] },
): Promise<ReadonlyMap<number, string>> {
  const rows = await listStoredVouchers(tx, attempts.flatMap(idsOf));
  return (await showSecrets(deps, tx, { read, rows })).codes;
}

/** Opens the codes as far as this operator may see them; a plain read is one entry of the audit log. */
async function showSecrets(
  deps: ReadOrderDeps,
  tx: Tx,
  { read, rows }: { read: OperatorRead; rows: readonly StoredVoucherRow[] },
) {
  const plain = new Map(rows.map((row) => [row.id, openSecrets(deps.box, row)]));
  const shown = new Map(
    [...plain].map(([id, secrets]) => [id, read.mayReveal ? secrets : maskSecrets(secrets)]),
  );
  if (read.mayReveal && rows.length > 0) {
    await deps.recordAudit(tx, {
      ...read.actor,
      action: 'vouchers:read_plain',
      resource: `order:${read.orderId}`,
      after: { voucher_ids: [...plain.keys()] },
    });
  }
  const secretsOf = (row: StoredVoucherRow) => {
    const secrets = shown.get(row.id);
    if (!secrets) throw new Error(`Voucher ${row.id} was not opened`);
    return secrets;
  };
  return {
    shown: secretsOf,
    codes: new Map([...shown].map(([id, secrets]) => [id, secrets.code])),
    // By the codes themselves: two masked ones may look alike.
    differentCodes(own: readonly StoredVoucherRow[]): string[] {
      const seen = new Set<string>();
      const isNew = (row: StoredVoucherRow): boolean => {
        const code = plain.get(row.id)?.code ?? '';
        return !seen.has(code) && seen.add(code) !== undefined;
      };
      return own.filter(isNew).map((row) => secretsOf(row).code);
    },
  };
}

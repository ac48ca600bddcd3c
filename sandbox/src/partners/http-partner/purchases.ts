import { parseAmount, printAmount } from '../../amount.ts';
import { randomLetters } from '../../random-text.ts';
import type { World } from '../../world.ts';
import { openAccount } from '../account.ts';
import type { Account } from '../account.ts';
import { openVoucherSource } from '../voucher-source.ts';
import type { IssuedCode } from '../voucher-source.ts';

export interface PurchaseOrder {
  reference: string;
  sku: string;
  quantity: number;
  /** `topup` credits the recipient's account and has no codes. */
  type: 'code' | 'topup';
  /** What we pay for one; a partner of ours knows its prices, so a decimal text is enough. */
  unitCost: string;
  recipient: unknown;
}

export interface Purchase extends PurchaseOrder {
  transactionId: string;
  status: 'PROCESSING' | 'SUCCESSFUL' | 'FAILED';
  codes: IssuedCode[];
  failure?: { code: string; message: string };
  createdAt: string;
}

export interface Purchases {
  account: Account;
  /** The same reference again answers the first purchase. */
  buy(order: PurchaseOrder): Purchase;
  /** A purchase that was processing is settled by the time somebody asks. */
  find(reference: string): Purchase | undefined;
}

const FAILURES = {
  OUT_OF_STOCK: 'This product is out of stock',
  DECLINED: 'The purchase was declined',
  INSUFFICIENT_BALANCE: 'The account does not cover this purchase',
} as const;

export function openPurchases(world: World): Purchases {
  const table = world.ledger.table<Purchase>('partner/purchases');
  const issueCodes = openVoucherSource(world);
  const account = openAccount(world, 'http-partner');
  const take = (fault: 'out_of_stock' | 'declined' | 'processing') =>
    world.faults.take('partner', fault, ['purchase']);

  function failureOf(order: PurchaseOrder): keyof typeof FAILURES | undefined {
    if (take('out_of_stock')) return 'OUT_OF_STOCK';
    if (take('declined')) return 'DECLINED';
    const costMinor = (parseAmount(order.unitCost) ?? 0) * order.quantity;
    return account.debit(costMinor) ? undefined : 'INSUFFICIENT_BALANCE';
  }

  return {
    account,
    buy(order) {
      const earlier = table.get(order.reference);
      if (earlier) return earlier;
      const code = failureOf(order);
      const purchase: Purchase = {
        ...order,
        transactionId: randomLetters(16),
        status: code ? 'FAILED' : take('processing') ? 'PROCESSING' : 'SUCCESSFUL',
        codes: code || order.type === 'topup' ? [] : issueCodes(order.quantity),
        createdAt: new Date().toISOString(),
        ...(code ? { failure: { code, message: FAILURES[code] } } : {}),
      };
      table.put(order.reference, purchase);
      return purchase;
    },
    find(reference) {
      const purchase = table.get(reference);
      if (purchase?.status !== 'PROCESSING' || world.faults.take('partner', 'processing', ['query']))
        return purchase;
      const settled: Purchase = { ...purchase, status: 'SUCCESSFUL' };
      table.put(reference, settled);
      return settled;
    },
  };
}

export function totalCost({ unitCost, quantity }: PurchaseOrder): string {
  return printAmount((parseAmount(unitCost) ?? 0) * quantity);
}

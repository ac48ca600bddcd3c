import type { Reader } from '../../platform/db/database.ts';

/** An order as it concerns its customer's account. Amounts in poisha. */
export interface CustomerOrder {
  readonly id: number;
  readonly orderNumber: string;
  readonly status: string;
  readonly totalMinor: number;
  readonly currency: string;
  readonly createdAt: Date;
}

export interface CustomerPayment {
  readonly id: number;
  readonly orderId: number;
  readonly transactionId: string;
  readonly method: string;
  readonly status: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly createdAt: Date;
}

/** What other modules know about a customer. They are asked through this, since this module uses none of them. */
export interface CustomerRecords {
  /** Newest first, at most `limit`. */
  listOrders(reader: Reader, userId: number, limit: number): Promise<CustomerOrder[]>;
  listPayments(reader: Reader, userId: number, limit: number): Promise<CustomerPayment[]>;
  /** Orders that are not delivered, failed or cancelled: money or goods may still move. */
  countUnfinishedOrders(reader: Reader, userId: number): Promise<number>;
  /** Customers with an order of this number. */
  findCustomersByOrderNumber(reader: Reader, orderNumber: string): Promise<number[]>;
}

import type { Minor } from '../../../platform/money.ts';

export interface RefundRequest {
  /** Ours, 20 characters of A-Z and 2-9, unique: what a gateway that takes such an id must never honour twice. */
  readonly refundReference: string;
  readonly amountMinor: Minor;
  readonly reason: string;
  readonly payment: RefundedPayment;
}

/** The payment that money goes back from. */
export interface RefundedPayment {
  readonly gatewayReference: string;
  readonly session: Readonly<Record<string, string>>;
  readonly gatewayTransactionId: string;
  /** As verified, before any refund. */
  readonly amountMinor: Minor;
  readonly openedAt: Date;
}

export interface RefundQuestion extends RefundRequest {
  /** Theirs, when they have told it. */
  readonly gatewayRefundId: string | undefined;
  /** Their ids of the payment's other refunds: where they know no reference of ours, ours is the one that is left. */
  readonly otherRefundIds: readonly string[];
}

/** `refused` is their definite no, so no money moved; `unknown` is no answer, so the question must be asked again. */
export type RefundResult = { readonly details: Readonly<Record<string, unknown>> } & (
  | { readonly kind: 'refunded'; readonly gatewayRefundId: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'processing'; readonly gatewayRefundId?: string }
  | {
      readonly kind: 'unknown';
      readonly reason: string;
      /** True when the call certainly never left: it may be made again. */
      readonly neverSent: boolean;
    }
);

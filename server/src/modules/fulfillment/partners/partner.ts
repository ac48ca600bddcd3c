import type { Minor } from '../../../platform/money.ts';
import type { OutboundClient } from '../../../platform/outbound/outbound-client.ts';

/**
 * What an upstream partner is to us. An implementation is a stateless factory over its own validated configuration
 * and an HTTP client: it sees no database, queue or clock, and never waits or retries; that is the core's work.
 *
 * A method may throw: the core knows whether anything left, and makes of it a definite "nothing was bought" or an
 * unknown result (purchases/ask-partner.ts).
 */
export interface Partner {
  /** Whether the same reference again never buys a second time: then the purchase itself may be repeated. */
  readonly isRepeatable: boolean;
  /** How long after the last purchase call "I do not know this reference" means that nothing was bought. */
  readonly notFoundIsFinalAfterSeconds: number;
  /** The longest one of its calls takes. */
  readonly timeoutMs: number;

  /** Buys one unit under our reference. */
  purchase(order: PurchaseOrder): Promise<PurchaseResult>;
  /** What became of our reference: buys nothing. Absent where the partner has no such question. */
  readonly query?: (order: PurchaseOrder) => Promise<QueryResult>;
  /** What is left of our prepaid money. */
  readonly readBalance?: () => Promise<Balance>;
  /** What it sells, one page from 1. */
  readonly listProducts?: (page: number) => Promise<PartnerProduct[]>;
}

/** What a partner is built with, besides its configuration and credentials. */
export interface PartnerParts {
  /** What goes through it about a purchase is kept, sealed, before the answer is read. */
  readonly http: OutboundClient;
  /** For access tokens: nothing that goes through it is kept. */
  readonly tokenHttp: OutboundClient;
  readonly tokens: PartnerTokens;
}

/** Access tokens of one partner, shared by all processes. */
export interface PartnerTokens {
  /** A token for this audience that lives for another minute at least. */
  find(audience: string): Promise<string | undefined>;
  keep(audience: string, granted: { token: string; lifetimeSeconds: number }): Promise<void>;
}

export interface PurchaseOrder {
  /** Ours, for this unit and this purchase alone: letters, digits and hyphens, at most 60. */
  readonly reference: string;
  /** What the partner calls it. */
  readonly product: string;
  /** What else it must be told about the product, by the schema of its kind. */
  readonly options: Readonly<Record<string, unknown>>;
  /** CODE wants a code, TOPUP credits the recipient. */
  readonly mode: 'CODE' | 'TOPUP';
  /** What the customer entered: the identifier and supporting fields. */
  readonly input: Readonly<Record<string, string>>;
  readonly costMinor: Minor | null;
}

export interface DeliveredCode {
  readonly code: string;
  readonly pin: string | null;
  readonly serialNumber: string | null;
  readonly redemptionUrl: string | null;
  readonly expiresAt: Date | null;
}

/** What everybody may read of an answer: statuses, ids, amounts. Never a code or a pin. */
export type Details = Readonly<Record<string, string | number | boolean | null>>;

/**
 * What a purchase came to. Only `refused` says that nothing was bought and nothing will be; whatever is not clearly
 * one of the others is `unknown`, and never rounded.
 */
export type PurchaseResult = { readonly details: Details } & (
  | {
      readonly kind: 'delivered';
      /** Never empty. */
      readonly codes: readonly DeliveredCode[];
      readonly partnerTransactionId: string | null;
    }
  | { readonly kind: 'credited'; readonly partnerTransactionId: string | null }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      /** A no that may be a yes a moment later. */
      readonly isTransient: boolean;
      readonly retryAfterSeconds?: number;
    }
  /** It says that it succeeded, and gives nothing. */
  | { readonly kind: 'without_code'; readonly partnerTransactionId: string | null }
  | { readonly kind: 'processing'; readonly partnerTransactionId: string | null }
  | { readonly kind: 'unknown'; readonly reason: string }
);

export type QueryResult = PurchaseResult | { readonly kind: 'not_found'; readonly details: Details };

export interface Balance {
  readonly amountMinor: Minor;
  /** ISO 4217. */
  readonly currency: string;
}

export interface PartnerProduct {
  readonly product: string;
  readonly name: string;
  /** As the partner writes it, with its currency; for people. */
  readonly prices: readonly string[];
}

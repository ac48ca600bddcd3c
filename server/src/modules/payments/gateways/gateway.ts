import type { Minor } from '../../../platform/money.ts';
import type { OutboundClient } from '../../../platform/outbound/outbound-client.ts';
import type { Random } from '../../../platform/random.ts';
import type { RefundQuestion, RefundRequest, RefundResult } from './refund.ts';

/**
 * What a payment gateway is to us. An implementation is a stateless factory over its own validated configuration and
 * an HTTP client: it sees no database, queue or clock, and never waits or retries; that is the core's work.
 */
export interface Gateway {
  /** Its name everywhere inside: `aggregator`. */
  readonly name: GatewayName;
  /** The method value customers choose (interface part 4): `gw_aggregator`. */
  readonly method: string;
  /** First part of transaction ids (decisions 4.12): `AGG`. */
  readonly transactionPrefix: string;
  /** How often and after how long a `processing` answer is asked again within one verification. */
  readonly retryProcessing: { readonly times: number; readonly afterMs: number };

  openSession(request: SessionRequest): Promise<SessionResult>;
  /** Reads a callback without believing it: which payment it names and what it claims. Never throws. */
  readCallback(fields: CallbackFields): CallbackReading;
  /** The proof call. Re-callable: asking twice moves no money twice. */
  verify(payment: PaymentToVerify): Promise<Verification>;
  /** Gives money back, once for each refund reference. Absent where the protocol has no refund. */
  readonly refund?: (request: RefundRequest) => Promise<RefundResult>;
  /** What became of a refund. Absent where the protocol has no such question. */
  readonly queryRefund?: (question: RefundQuestion) => Promise<RefundResult>;
}

/** A gateway as it is configured: safe to call (nothing it does throws) and with an address of its own. */
export interface ConfiguredGateway extends Gateway {
  /** Path segment of its callbacks (decisions 4.11): its name, unless operators say otherwise. */
  readonly segment: string;
}

export const gatewayNames = [
  'aggregator',
  'wallet_tokenized',
  'multi_wallet',
  'dcb',
  'wallet_direct',
] as const;
export type GatewayName = (typeof gatewayNames)[number];

/** What a gateway is built with, besides its configuration. */
export interface GatewayParts {
  readonly http: OutboundClient;
  readonly random: Random;
  readonly tokens: TokenCache;
}

/** Access tokens that all processes share, for gateways that ration them. */
export interface TokenCache {
  /** The token under this key while it lives. */
  find(key: string): Promise<string | undefined>;
  /**
   * A token other than `refused`: one that somebody else has been granted meanwhile, else a new one. At most one grant
   * is under way at a time and at most two begin in an hour, over all processes.
   *
   * @throws Error when no grant is allowed now, or what `ask` throws.
   */
  renew(
    key: string,
    grant: { refused: string | undefined; ask: () => Promise<GrantedToken> },
  ): Promise<string>;
}

export interface GrantedToken {
  readonly token: string;
  readonly lifetimeSeconds: number;
}

export interface SessionRequest {
  readonly transactionId: string;
  /** Ours, 20 characters of A-Z and 2-9: legal at every gateway. */
  readonly gatewayReference: string;
  readonly amountMinor: Minor;
  readonly currency: string;
  readonly description: string;
  readonly customer: { readonly name: string; readonly email: string; readonly msisdn: string };
  readonly itemCount: number;
  /** Absolute address of our callback for this gateway. */
  readonly callbackUrl: string;
  /** The present, for gateways that want to be told the time. */
  readonly at: Date;
}

export type SessionResult =
  | {
      readonly kind: 'opened';
      readonly url: string;
      /** What the gateway calls the session, kept to ask about it. */
      readonly session: Readonly<Record<string, string>>;
      /** The one of these that its callbacks carry, when they do not echo our reference. */
      readonly sessionId?: string;
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** Form, JSON body and query parameters of a callback, flattened to text. */
export type CallbackFields = Readonly<Record<string, string>>;

export type CallbackClaim = 'success' | 'failure' | 'cancel' | 'unclear';

export type CallbackReading =
  | { readonly kind: 'unreadable' }
  | {
      readonly kind: 'read';
      readonly names: { readonly reference: string } | { readonly sessionId: string };
      readonly claims: CallbackClaim;
      /** Whether a signature the gateway defines is right; `unsigned` when it defines none or sent none. */
      readonly signature: 'valid' | 'wrong' | 'unsigned';
      /** Ids in it that help to verify, `val_id` for example. Hints, never proof. */
      readonly evidence: Readonly<Record<string, string>>;
    };

export interface PaymentToVerify {
  readonly gatewayReference: string;
  readonly session: Readonly<Record<string, string>>;
  readonly amountMinor: Minor;
  readonly currency: string;
  readonly evidence: Readonly<Record<string, string>>;
  /**
   * For a gateway that moves the money only when told to: it asks this each time just before it tells, and does not tell
   * unless it answers true. At most one session of an order gets that answer.
   */
  readonly claimCapture: () => Promise<boolean>;
  /** Asked before within this verification, without a clear answer. */
  readonly isRepeat: boolean;
}

/** Five outcomes. `unknown` is a result of its own: it is never rounded to one of the others here. */
export type Verification = { readonly details: Readonly<Record<string, unknown>> } & (
  | {
      readonly kind: 'confirmed';
      readonly amountMinor: Minor;
      readonly currency: string;
      readonly gatewayTransactionId: string;
    }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'cancelled'; readonly reason: string }
  | {
      readonly kind: 'processing';
      /** The gateway's own word that the customer has not agreed: whatever it was told, it cannot have taken the money. */
      readonly isUntouched?: boolean;
    }
  | { readonly kind: 'unknown'; readonly reason: string }
);

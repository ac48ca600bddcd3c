import { Type } from 'typebox';
import type { Static } from 'typebox';

import {
  createReloadlyClient,
  isIdentifierUsed,
  judgeFailure,
  readReloadlyBalance,
  reloadlyConfigSchema,
  withIdentifier,
} from '../reloadly-client.ts';
import type { ReloadlyClient, reloadlyCredentialsSchema, ReloadlySettings } from '../reloadly-client.ts';
import {
  asList,
  asObject,
  asObjects,
  readCode,
  succeeded,
  text,
  textOrNull,
  unreadable,
} from '../partner-answer.ts';
import type { Answer } from '../partner-answer.ts';
import type {
  DeliveredCode,
  Details,
  Partner,
  PartnerParts,
  PurchaseOrder,
  PurchaseResult,
  QueryResult,
} from '../partner.ts';

export const giftCardConfigSchema = Type.Object(
  {
    ...reloadlyConfigSchema.properties,
    sender_name: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
  },
  { additionalProperties: false },
);
/** `partner_product` is the product id. */
export const giftCardOptionsSchema = Type.Object(
  {
    unit_price: Type.String({
      pattern: '^\\d{1,6}(\\.\\d{1,2})?$',
      description: 'In the product’s currency',
    }),
  },
  { additionalProperties: false },
);

type Config = Static<typeof giftCardConfigSchema>;
type Settings = { readonly config: Config; readonly credentials: Static<typeof reloadlyCredentialsSchema> };

const ACCEPT = 'application/com.reloadly.giftcards-v1+json';
/** Their calls end within a minute and a half; what they do not know after that was never begun. */
const NOT_FOUND_IS_FINAL_AFTER_SECONDS = 120;

/** Reloadly gift cards: a purchase is an order of one card, whose code is fetched by a second call. */
export function createReloadlyGiftCards({ config, credentials }: Settings, parts: PartnerParts): Partner {
  const { sender_name: senderName = 'Voucher shop', ...reloadly } = config;
  const settings: ReloadlySettings = { config: reloadly, credentials, parts, accept: ACCEPT };
  const client = createReloadlyClient(settings);
  return {
    isRepeatable: false,
    notFoundIsFinalAfterSeconds: NOT_FOUND_IS_FINAL_AFTER_SECONDS,
    timeoutMs: client.timeoutMs,

    async purchase(order) {
      const answer = await client.post('/orders', {
        productId: Number(order.product),
        quantity: 1,
        unitPrice: Number(order.options['unit_price']),
        senderName,
        customIdentifier: order.reference,
      });
      if (isIdentifierUsed(answer)) return foundOrUnknown(await query(client, order));
      if (answer.response.status !== 200) return judgeFailure(answer);
      const placed = asObject(answer.content);
      return placed ? judgeOrder(client, placed) : unreadable(answer.response);
    },
    query: (order) => query(client, order),
    readBalance: () => readReloadlyBalance(client),
    listProducts: (page) => listProducts(client, page),
  };
}

async function query(client: ReloadlyClient, order: PurchaseOrder): Promise<QueryResult> {
  const answer = await client.get('/reports/transactions', { customIdentifier: order.reference });
  const found = withIdentifier(answer, order.reference);
  if (!found) return unreadable(answer.response);
  const [first] = found;
  if (!first) return { kind: 'not_found', details: { found: 0 } };
  // One that succeeded decides, should they ever have taken our identifier twice.
  const chosen = found.find((entry) => statusOf(entry) === 'SUCCESSFUL') ?? first;
  return judgeOrder(client, chosen);
}

/** An identifier they call used and then do not know: nobody can say. */
function foundOrUnknown(result: QueryResult): PurchaseResult {
  if (result.kind !== 'not_found') return result;
  return { kind: 'unknown', reason: 'the identifier is used and cannot be found', details: result.details };
}

const statusOf = (entry: Answer): string => text(entry['status']).toUpperCase();

async function judgeOrder(client: ReloadlyClient, placed: Answer): Promise<PurchaseResult> {
  const status = statusOf(placed);
  const partnerTransactionId = textOrNull(placed['transactionId']);
  const details: Details = {
    status,
    amount: textOrNull(placed['amount']),
    currency: textOrNull(placed['currencyCode']),
  };
  if (status === 'FAILED' || status === 'REFUNDED')
    return { kind: 'refused', reason: `Reloadly order ${status}`, isTransient: false, details };
  if (status === 'PROCESSING' || status === 'PENDING')
    return { kind: 'processing', partnerTransactionId, details };
  if (status !== 'SUCCESSFUL' || partnerTransactionId === null)
    return { kind: 'unknown', reason: `unknown order status ${status || '(none)'}`.slice(0, 80), details };
  const codes = await fetchCards(client, partnerTransactionId);
  return succeeded({ mode: 'CODE', partnerTransactionId, details }, codes);
}

/** None while the cards are being made: they answer 404, or an empty list. */
async function fetchCards(client: ReloadlyClient, transactionId: string): Promise<DeliveredCode[]> {
  const path = `/orders/transactions/${encodeURIComponent(transactionId)}/cards`;
  const { response, content } = await client.get(path);
  if (response.status !== 200) return [];
  const cards = Array.isArray(content) ? asList(content) : [content];
  return cards.flatMap((card) => readCard(asObject(card) ?? {}));
}

/** Some cards have a number and a pin, some a pin alone, some only an address to redeem at. */
function readCard(card: Answer): DeliveredCode[] {
  const number = text(card['cardNumber']);
  const pin = text(card['pinCode']);
  const redemptionUrl = text(card['redemptionUrl']);
  return readCode({ code: number || pin || redemptionUrl, pin: number === '' ? null : pin, redemptionUrl });
}

async function listProducts(client: ReloadlyClient, page: number) {
  const { content } = await client.get('/products', { page: String(page), size: '50' });
  return asObjects(asObject(content)?.['content']).map((entry) => ({
    product: text(entry['productId']),
    name: text(entry['productName']),
    prices: pricesOf(entry),
  }));
}

function pricesOf(entry: Answer): string[] {
  const currency = text(entry['senderCurrencyCode']);
  const fixed = asList(entry['fixedSenderDenominations']).map((amount) => `${text(amount)} ${currency}`);
  const least = text(entry['minSenderDenomination']);
  const most = text(entry['maxSenderDenomination']);
  return least && most ? [...fixed, `${least} to ${most} ${currency}`] : fixed;
}

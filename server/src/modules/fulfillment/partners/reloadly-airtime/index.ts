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
import type { ReloadlyClient, reloadlyCredentialsSchema } from '../reloadly-client.ts';
import { asObject, asObjects, readCode, succeeded, text, textOrNull, unreadable } from '../partner-answer.ts';
import type { Answer } from '../partner-answer.ts';
import type {
  Details,
  Partner,
  PartnerParts,
  PurchaseOrder,
  PurchaseResult,
  QueryResult,
} from '../partner.ts';

export { reloadlyConfigSchema as airtimeConfigSchema };
/** `partner_product` is the operator id, or `auto` to have it found by the number. */
export const airtimeOptionsSchema = Type.Object(
  {
    amount: Type.String({ pattern: '^\\d{1,6}(\\.\\d{1,2})?$' }),
    use_local_amount: Type.Optional(
      Type.Boolean({ description: 'The amount is what the number is credited' }),
    ),
    recipient_field: Type.Optional(Type.String({ description: 'Which entry holds the number: account_id' })),
    country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
  },
  { additionalProperties: false },
);

type Settings = {
  readonly config: Static<typeof reloadlyConfigSchema>;
  readonly credentials: Static<typeof reloadlyCredentialsSchema>;
};

const ACCEPT = 'application/com.reloadly.topups-v1+json';
/** A failing operator holds a call close to a minute; what they do not know after two was never begun. */
const NOT_FOUND_IS_FINAL_AFTER_SECONDS = 120;

/** Reloadly airtime: a recharge of a mobile number. With a pin operator the code is in `pinDetail`. */
export function createReloadlyAirtime({ config, credentials }: Settings, parts: PartnerParts): Partner {
  const client = createReloadlyClient({ config, credentials, parts, accept: ACCEPT });
  return {
    isRepeatable: false,
    notFoundIsFinalAfterSeconds: NOT_FOUND_IS_FINAL_AFTER_SECONDS,
    timeoutMs: client.timeoutMs,
    purchase: (order) => purchase(client, order),
    query: (order) => query(client, order),
    readBalance: () => readReloadlyBalance(client),
    listProducts: (page) => listOperators(client, page),
  };
}

async function purchase(client: ReloadlyClient, order: PurchaseOrder): Promise<PurchaseResult> {
  const { options, input } = order;
  const countryCode = text(options['country']) || 'BD';
  const number = input[text(options['recipient_field']) || 'account_id'] ?? '';
  const operator = await findOperator(client, { product: order.product, number, countryCode });
  if ('kind' in operator) return operator;
  const answer = await client.post('/topups', {
    operatorId: operator.id,
    amount: Number(options['amount']),
    useLocalAmount: options['use_local_amount'] === true,
    customIdentifier: order.reference,
    recipientPhone: { countryCode, number },
  });
  if (isIdentifierUsed(answer)) {
    const result = await query(client, order);
    if (result.kind !== 'not_found') return result;
    return { kind: 'unknown', reason: 'the identifier is used and cannot be found', details: result.details };
  }
  if (answer.response.status !== 200) return judgeFailure(answer);
  const topup = asObject(answer.content);
  return topup ? judgeTopup(topup, order.mode) : unreadable(answer.response);
}

/** Nothing has been bought yet here: whatever is not an operator is a no. */
async function findOperator(
  client: ReloadlyClient,
  wanted: { product: string; number: string; countryCode: string },
): Promise<{ readonly id: number } | PurchaseResult> {
  if (wanted.product !== 'auto') return { id: Number(wanted.product) };
  const { number, countryCode } = wanted;
  const path = `/operators/auto-detect/phone/${encodeURIComponent(number)}/countries/${countryCode}`;
  const answer = await client.get(path);
  const id = Number(asObject(answer.content)?.['operatorId']);
  if (answer.response.status === 200 && Number.isInteger(id) && id > 0) return { id };
  const failure = judgeFailure(answer);
  if (failure.kind === 'refused') return failure;
  const reason = 'the operator of the number could not be found';
  return { kind: 'refused', reason, isTransient: true, details: failure.details };
}

async function query(client: ReloadlyClient, order: PurchaseOrder): Promise<QueryResult> {
  const answer = await client.get('/topups/reports/transactions', { customIdentifier: order.reference });
  const found = withIdentifier(answer, order.reference);
  if (!found) return unreadable(answer.response);
  const chosen = found.find((entry) => statusOf(entry) === 'SUCCESSFUL') ?? found[0];
  return chosen ? judgeTopup(chosen, order.mode) : { kind: 'not_found', details: { found: 0 } };
}

const statusOf = (entry: Answer): string => text(entry['status']).toUpperCase();

function judgeTopup(topup: Answer, mode: PurchaseOrder['mode']): PurchaseResult {
  const status = statusOf(topup);
  const partnerTransactionId = textOrNull(topup['transactionId']);
  const details: Details = {
    status,
    operator: textOrNull(topup['operatorName']),
    delivered_amount: textOrNull(topup['deliveredAmount']),
    delivered_currency: textOrNull(topup['deliveredAmountCurrencyCode']),
  };
  if (status === 'FAILED' || status === 'REFUNDED')
    return { kind: 'refused', reason: `Reloadly recharge ${status}`, isTransient: false, details };
  if (status === 'PROCESSING') return { kind: 'processing', partnerTransactionId, details };
  if (status !== 'SUCCESSFUL')
    return { kind: 'unknown', reason: `unknown recharge status ${status || '(none)'}`.slice(0, 80), details };
  const pin = asObject(topup['pinDetail']) ?? {};
  const codes = readCode({
    code: pin['code'],
    pin: null,
    serialNumber: pin['serial'],
    expiresAt: pin['validity'],
  });
  return succeeded({ mode, partnerTransactionId, details }, codes);
}

async function listOperators(client: ReloadlyClient, page: number) {
  const { content } = await client.get('/operators', { page: String(page), size: '50' });
  return asObjects(asObject(content)?.['content']).map((entry) => ({
    product: text(entry['operatorId'] ?? entry['id']),
    name: text(entry['name']),
    prices: [
      `${text(entry['minAmount'])} to ${text(entry['maxAmount'])} ${text(entry['senderCurrencyCode'])}`,
    ],
  }));
}

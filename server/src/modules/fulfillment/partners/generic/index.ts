import { formatMinor } from '../../../../platform/money.ts';
import type { OutboundResponse } from '../../../../platform/outbound/outbound-client.ts';
import {
  asList,
  asObject,
  asReason,
  parseJson,
  readAmountMinor,
  readCode,
  succeeded,
  text,
  textOrNull,
  unreadable,
} from '../partner-answer.ts';
import type {
  Balance,
  DeliveredCode,
  Details,
  Partner,
  PartnerParts,
  PartnerProduct,
  PurchaseOrder,
  QueryResult,
} from '../partner.ts';
import type { GenericConfig, GenericCredentials } from './generic-config.ts';
import { fill, fillPath, valueAt } from './template.ts';
import type { Values } from './template.ts';

export {
  genericConfigSchema,
  genericCredentialsSchema,
  genericOptionsSchema,
  plainPartnerConfig,
} from './generic-config.ts';

const TIMEOUT_SECONDS = 20;
const NOT_FOUND_IS_FINAL_AFTER_SECONDS = 120;

interface Wire {
  readonly config: GenericConfig;
  readonly timeoutMs: number;
  get(path: string): Promise<OutboundResponse>;
  buy(order: PurchaseOrder): Promise<OutboundResponse>;
}

/** Any HTTP partner that sells by one call and can be described by its configuration. */
export function createGenericPartner(
  { config, credentials }: { readonly config: GenericConfig; readonly credentials: GenericCredentials },
  parts: PartnerParts,
): Partner {
  const wire = createWire(config, credentials, parts);
  const { query, balance, products } = config;
  return {
    isRepeatable: config.is_repeatable ?? false,
    notFoundIsFinalAfterSeconds: config.not_found_is_final_after_seconds ?? NOT_FOUND_IS_FINAL_AFTER_SECONDS,
    timeoutMs: wire.timeoutMs,
    async purchase(order) {
      const result = judge(config, await wire.buy(order), order);
      // "Not found" is no answer to a purchase: the product may be meant, and nothing says that nothing was bought.
      if (result.kind !== 'not_found') return result;
      return {
        kind: 'unknown',
        reason: 'the purchase was answered with "not found"',
        details: result.details,
      };
    },
    ...(query && {
      query: async (order) => judge(config, await wire.get(fillPath(query.path, valuesOf(order))), order),
    }),
    ...(balance && { readBalance: () => readBalance(wire, balance) }),
    ...(products && { listProducts: () => listProducts(wire, products) }),
  };
}

function createWire(config: GenericConfig, credentials: GenericCredentials, { http }: PartnerParts): Wire {
  const timeoutMs = (config.timeout_seconds ?? TIMEOUT_SECONDS) * 1000;
  const access = accessOf(config.auth, credentials);
  const urlOf = (path: string): string => {
    const url = `${config.base_url}${path}`;
    return access.query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${access.query}`;
  };
  return {
    config,
    timeoutMs,
    get: (path) =>
      http.send({
        method: 'GET',
        url: urlOf(path),
        headers: { accept: 'application/json', ...access.headers },
        timeoutMs,
      }),
    buy(order) {
      const { method = 'POST', path, format = 'json', body } = config.purchase;
      const filled = fill(body, valuesOf(order)) as Readonly<Record<string, unknown>>;
      const isJson = format === 'json';
      return http.send({
        method,
        url: urlOf(fillPath(path, valuesOf(order))),
        headers: {
          accept: 'application/json',
          'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
          ...access.headers,
        },
        body: isJson ? JSON.stringify(filled) : toForm(filled),
        timeoutMs,
      });
    },
  };
}

function accessOf(
  auth: GenericConfig['auth'],
  { api_key: apiKey = '', username = '', password = '' }: GenericCredentials,
): { headers: Record<string, string>; query: string } {
  switch (auth.type) {
    case 'header':
      return { headers: { [auth.name]: apiKey }, query: '' };
    case 'bearer':
      return { headers: { authorization: `Bearer ${apiKey}` }, query: '' };
    case 'basic': {
      const pair = Buffer.from(`${username}:${password}`).toString('base64');
      return { headers: { authorization: `Basic ${pair}` }, query: '' };
    }
    case 'query':
      return { headers: {}, query: new URLSearchParams({ [auth.name]: apiKey }).toString() };
  }
}

function valuesOf(order: PurchaseOrder): Values {
  const { reference, product, options, mode, input, costMinor } = order;
  return {
    reference,
    product,
    options,
    input,
    type: mode === 'TOPUP' ? 'topup' : 'code',
    cost: costMinor === null ? null : formatMinor(costMinor),
  };
}

function toForm(fields: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value),
  ]);
  return new URLSearchParams(pairs).toString();
}

/** Their status decides; without one their error code or HTTP status, and only where the configuration names it. */
function judge(config: GenericConfig, response: OutboundResponse, order: PurchaseOrder): QueryResult {
  const { answer: at, statuses } = config;
  const content = parseJson(response.text);
  const status = text(valueAt(content, at.status));
  const errorCode = text(valueAt(content, at.error_code));
  const partnerTransactionId = textOrNull(valueAt(content, at.transaction_id));
  const details: Details = {
    http_status: response.status,
    status: status || null,
    error_code: errorCode || null,
  };
  const meaning = Object.hasOwn(statuses, status) ? statuses[status] : undefined;
  if (meaning !== undefined && isAboutAnother(config, content, order))
    return { kind: 'unknown', reason: 'the answer is about another reference', details };
  if (meaning === 'processing') return { kind: 'processing', partnerTransactionId, details };
  if (meaning === 'done' && response.status < 300)
    return succeeded({ mode: order.mode, partnerTransactionId, details }, readCodes(config, content));
  const names = (list: readonly (string | number)[] | undefined): boolean =>
    list?.some((entry) => entry === response.status || (errorCode !== '' && entry === errorCode)) ?? false;
  if (meaning === 'refused' || names(config.refusals) || names(config.transient) || response.status === 429) {
    const reason = asReason(
      [errorCode, text(valueAt(content, at.error_message))].filter(Boolean).join(': '),
      status,
    );
    const isTransient = names(config.transient) || response.status === 429;
    return { kind: 'refused', reason, isTransient, details };
  }
  return names(config.not_found) ? { kind: 'not_found', details } : unreadable(response, details);
}

function isAboutAnother({ answer }: GenericConfig, content: unknown, order: PurchaseOrder): boolean {
  return answer.reference !== undefined && text(valueAt(content, answer.reference)) !== order.reference;
}

/** A list of objects or of plain codes, or one object or code. */
function readCodes({ answer: at }: GenericConfig, content: unknown): DeliveredCode[] {
  const found = at.codes === undefined ? content : valueAt(content, at.codes);
  const entries = Array.isArray(found) ? asList(found) : [found];
  return entries.flatMap((entry) =>
    asObject(entry)
      ? readCode({
          code: valueAt(entry, at.code ?? 'code'),
          pin: valueAt(entry, at.pin),
          serialNumber: valueAt(entry, at.serial_number),
          redemptionUrl: valueAt(entry, at.redemption_url),
          expiresAt: valueAt(entry, at.expires_at),
        })
      : readCode({ code: entry, pin: null }),
  );
}

async function readBalance(wire: Wire, at: NonNullable<GenericConfig['balance']>): Promise<Balance> {
  const response = await wire.get(at.path);
  const content = parseJson(response.text);
  const amountMinor = readAmountMinor(valueAt(content, at.amount));
  const currency = text(valueAt(content, at.currency)) || at.in || 'BDT';
  if (response.status !== 200 || amountMinor === undefined)
    throw new Error(`HTTP ${response.status} without a balance`);
  return { amountMinor, currency };
}

async function listProducts(
  wire: Wire,
  at: NonNullable<GenericConfig['products']>,
): Promise<PartnerProduct[]> {
  const response = await wire.get(at.path);
  const content = parseJson(response.text);
  if (response.status !== 200 || content === undefined)
    throw new Error(`HTTP ${response.status} without a list`);
  return asList(at.list === undefined ? content : valueAt(content, at.list)).map((entry) => ({
    product: text(valueAt(entry, at.product)),
    name: text(valueAt(entry, at.name)),
    prices: [text(valueAt(entry, at.price))].filter(Boolean),
  }));
}

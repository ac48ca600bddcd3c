import { Type } from 'typebox';
import type { Static } from 'typebox';

import type { OutboundRequest, OutboundResponse } from '../../../platform/outbound/outbound-client.ts';
import {
  asObject,
  asObjects,
  asReason,
  parseJson,
  readAmountMinor,
  text,
  unreadable,
} from './partner-answer.ts';
import type { Answer } from './partner-answer.ts';
import type { Balance, Details, PartnerParts, PurchaseResult } from './partner.ts';

const address = Type.String({ pattern: '^https?://[^?#]+$', description: 'Without a trailing slash' });

/** What both products of Reloadly are configured with; they have hosts and audiences of their own. */
export const reloadlyConfigSchema = Type.Object(
  {
    auth_base_url: address,
    base_url: address,
    audience: Type.String({ minLength: 1 }),
    timeout_seconds: Type.Optional(Type.Number({ minimum: 0.05, maximum: 120 })),
  },
  { additionalProperties: false },
);
export const reloadlyCredentialsSchema = Type.Object(
  { client_id: Type.String({ minLength: 1 }), client_secret: Type.String({ minLength: 1 }) },
  { additionalProperties: false },
);

export interface ReloadlySettings {
  readonly config: Static<typeof reloadlyConfigSchema>;
  readonly credentials: Static<typeof reloadlyCredentialsSchema>;
  readonly parts: PartnerParts;
  /** The media type that names product and version. */
  readonly accept: string;
}

export interface ReloadlyAnswer {
  readonly response: OutboundResponse;
  /** What is in its body; undefined when it is no JSON. */
  readonly content: unknown;
}

export interface ReloadlyClient {
  readonly timeoutMs: number;
  get(path: string, query?: Readonly<Record<string, string>>): Promise<ReloadlyAnswer>;
  post(path: string, body: object): Promise<ReloadlyAnswer>;
}

const TIMEOUT_SECONDS = 20;
const TOKEN_TROUBLE = new Set(['TOKEN_EXPIRED', 'INVALID_TOKEN', 'INVALID_CREDENTIALS']);

/** Calls one product of Reloadly. A 401 executed nothing: with a new token the call is made once more. */
export function createReloadlyClient(settings: ReloadlySettings): ReloadlyClient {
  const { config, parts } = settings;
  const timeoutMs = (config.timeout_seconds ?? TIMEOUT_SECONDS) * 1000;

  async function send(call: Pick<OutboundRequest, 'method' | 'url' | 'body'>): Promise<ReloadlyAnswer> {
    const token = (await parts.tokens.find(config.audience)) ?? (await grant(settings, timeoutMs));
    const first = await sendWith(call, token);
    if (first.response.status !== 401) return first;
    return sendWith(call, await grant(settings, timeoutMs));
  }

  async function sendWith(
    call: Pick<OutboundRequest, 'method' | 'url' | 'body'>,
    token: string,
  ): Promise<ReloadlyAnswer> {
    const response = await parts.http.send({
      ...call,
      headers: {
        authorization: `Bearer ${token}`,
        accept: settings.accept,
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      timeoutMs,
    });
    return { response, content: parseJson(response.text) };
  }

  return {
    timeoutMs,
    get(path, query = {}) {
      const search = new URLSearchParams(query).toString();
      return send({ method: 'GET', url: `${config.base_url}${path}${search ? `?${search}` : ''}` });
    },
    post: (path, body) =>
      send({ method: 'POST', url: `${config.base_url}${path}`, body: JSON.stringify(body) }),
  };
}

/** @throws Error when no token was granted: nothing has been bought then. */
async function grant({ config, credentials, parts }: ReloadlySettings, timeoutMs: number): Promise<string> {
  const response = await parts.tokenHttp.send({
    method: 'POST',
    url: `${config.auth_base_url}/oauth/token`,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ ...credentials, grant_type: 'client_credentials', audience: config.audience }),
    timeoutMs,
  });
  const answer = asObject(parseJson(response.text)) ?? {};
  const token = text(answer['access_token']);
  if (response.status !== 200 || token === '') {
    const reason = asReason(text(answer['errorCode']), text(answer['message']), `HTTP ${response.status}`);
    throw new Error(`Reloadly granted no token: ${reason}`);
  }
  const lifetimeSeconds = Number(answer['expires_in']) || 3_600;
  await parts.tokens.keep(config.audience, { token, lifetimeSeconds });
  return token;
}

/** Not a no: something behind them broke, or they never heard of the case. Our identifier tells what became of it. */
const UNCLEAR = new Set(['PROVIDER_INTERNAL_ERROR', 'UNMAPPED_PROVIDER_ERROR_CODE']);
/** A no of this moment. */
const TRANSIENT = new Set([
  'SERVICE_TO_OPERATOR_TEMPORARILY_UNAVAILABLE',
  'TRANSACTION_CANNOT_BE_PROCESSED_AT_THE_MOMENT',
  'OPERATOR_UNAVAILABLE_OR_CURRENTLY_INACTIVE',
  'OPERATOR_NOT_IN_SERVICE',
]);
/** They allow one recharge of a number in two minutes. */
const RECHARGED_AGAIN_AFTER_SECONDS = 125;

/** Their envelope with a reason is a no; what is not theirs (a proxy's page, a 5xx) is no answer. */
export function judgeFailure({ response, content }: ReloadlyAnswer): PurchaseResult {
  const { status } = response;
  const envelope = asObject(content);
  const errorCode = text(envelope?.['errorCode']);
  const details: Details = { http_status: status, error_code: errorCode || null };
  if (status === 429)
    return { kind: 'refused', reason: 'too many requests at once', isTransient: true, details };
  const message = text(envelope?.['message']);
  const isTheirs = status >= 400 && status < 500 && (errorCode !== '' || message !== '');
  if (!isTheirs || UNCLEAR.has(errorCode)) return unreadable(response, details);
  const reason = asReason([errorCode, message].filter(Boolean).join(': '));
  if (errorCode === 'PHONE_RECENTLY_RECHARGED') {
    const retryAfterSeconds = RECHARGED_AGAIN_AFTER_SECONDS;
    return { kind: 'refused', reason, isTransient: true, retryAfterSeconds, details };
  }
  const isTransient = status === 401 || TOKEN_TROUBLE.has(errorCode) || TRANSIENT.has(errorCode);
  return { kind: 'refused', reason, isTransient, details };
}

/** A later use of an identifier is turned away whatever became of the first: it means "look it up", not "no". */
export const isIdentifierUsed = ({ content }: ReloadlyAnswer): boolean =>
  text(asObject(content)?.['errorCode']) === 'CUSTOM_IDENTIFIER_ALREADY_USED';

/** The transactions of a report that carry our identifier; their search does not mind letter case. */
export function withIdentifier(
  { response, content }: ReloadlyAnswer,
  reference: string,
): Answer[] | undefined {
  const page = asObject(content);
  if (response.status !== 200 || !page || !Array.isArray(page['content'])) return undefined;
  return asObjects(page['content']).filter(
    (entry) => text(entry['customIdentifier']).toLowerCase() === reference.toLowerCase(),
  );
}

/** @throws Error when it cannot be read. */
export async function readReloadlyBalance(client: ReloadlyClient): Promise<Balance> {
  const { response, content } = await client.get('/accounts/balance');
  const answer = asObject(content) ?? {};
  const amountMinor = readAmountMinor(answer['balance']);
  const currency = text(answer['currencyCode']);
  if (response.status !== 200 || amountMinor === undefined || currency === '') {
    throw new Error(asReason(text(answer['message']), `HTTP ${response.status} without a balance`));
  }
  return { amountMinor, currency };
}

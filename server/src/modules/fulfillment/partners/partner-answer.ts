import { parseMinor } from '../../../platform/money.ts';
import type { Minor } from '../../../platform/money.ts';
import type { OutboundResponse } from '../../../platform/outbound/outbound-client.ts';
import type { DeliveredCode, Details, PurchaseResult } from './partner.ts';

export type Answer = Readonly<Record<string, unknown>>;

/** A field as text; empty when it is absent or no scalar. */
export function text(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' ? String(value) : '';
}

export const textOrNull = (value: unknown): string | null => text(value) || null;

/** What is in a JSON body; undefined when it is none: partners answer HTML and halves when they are ill. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

export function asObject(value: unknown): Answer | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Answer) : undefined;
}

/** The objects in a list. */
export const asObjects = (value: unknown): Answer[] =>
  asList(value).flatMap((entry) => {
    const object = asObject(entry);
    return object ? [object] : [];
  });

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** An amount of at most five decimals in minor units, cut below them: a balance is never shown too high. */
export function readAmountMinor(value: unknown): Minor | undefined {
  return parseMinor(text(value).replace(/^(\d+\.\d{2})\d*$/, '$1'));
}

/** A moment they name; null when it is none. */
export function readMoment(value: unknown): Date | null {
  const at = Date.parse(text(value));
  return Number.isNaN(at) ? null : new Date(at);
}

/** A code with what comes with it; nothing when there is no code. */
export function readCode(fields: {
  readonly code: unknown;
  readonly pin: unknown;
  readonly serialNumber?: unknown;
  readonly redemptionUrl?: unknown;
  readonly expiresAt?: unknown;
}): DeliveredCode[] {
  const code = text(fields.code);
  if (code === '') return [];
  return [
    {
      code,
      pin: textOrNull(fields.pin),
      serialNumber: textOrNull(fields.serialNumber),
      redemptionUrl: textOrNull(fields.redemptionUrl),
      expiresAt: readMoment(fields.expiresAt),
    },
  ];
}

/** No longer than fits a reason shown to an operator. */
export const asReason = (...candidates: readonly string[]): string =>
  (candidates.map((candidate) => candidate.trim()).find(Boolean) ?? 'no reason given').slice(0, 255);

/** Nothing that can be read for sure: the answer is there, and says neither yes nor no. */
export function unreadable(response: OutboundResponse, details: Details = {}): PurchaseResult {
  const what = `HTTP ${response.status}, ${response.contentType || 'no content type'}`;
  return { kind: 'unknown', reason: asReason(`the answer says neither yes nor no (${what})`), details };
}

/** What succeeded: for a code with its codes, for a credit as it is. */
export function succeeded(
  facts: { mode: 'CODE' | 'TOPUP'; partnerTransactionId: string | null; details: Details },
  codes: readonly DeliveredCode[],
): PurchaseResult {
  const { mode, partnerTransactionId, details } = facts;
  if (mode === 'TOPUP') return { kind: 'credited', partnerTransactionId, details };
  return codes.length > 0
    ? { kind: 'delivered', codes, partnerTransactionId, details }
    : { kind: 'without_code', partnerTransactionId, details };
}

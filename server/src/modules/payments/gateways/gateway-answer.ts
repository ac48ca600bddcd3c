import type { OutboundResponse } from '../../../platform/outbound/outbound-client.ts';
import type { Verification } from './gateway.ts';

/** Their states → ours, keys in lower case: gateways disagree with themselves about letter case. */
export type StateTable = Readonly<Record<string, Exclude<Verification['kind'], 'unknown'>>>;

export type Answer = Readonly<Record<string, unknown>>;

/** What their state means; undefined for a state that nobody has told us of. */
export function ourState(table: StateTable, theirs: string): StateTable[string] | undefined {
  const key = theirs.trim().toLowerCase();
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** A field of an answer as text; empty when it is absent or no scalar. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** A JSON object, or nothing: gateways answer HTML, halves and lists when they are ill. */
export function parseObject(content: string): Answer | undefined {
  try {
    return asObject(JSON.parse(content));
  } catch {
    return undefined;
  }
}

export function asObject(value: unknown): Answer | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Answer) : undefined;
}

/** The object in an answer that is one. @throws Error for any status but 200 and any other content. */
export function readAnswer(response: OutboundResponse): Answer {
  if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
  const answer = parseObject(response.text);
  if (!answer)
    throw new Error(`HTTP 200 with ${response.contentType || 'no content type'} that is no JSON object`);
  return answer;
}

/** An address that a browser can be sent to. */
export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** No longer than fits a reason shown to an operator. */
export const asReason = (...candidates: readonly string[]): string =>
  (candidates.map((candidate) => candidate.trim()).find(Boolean) ?? 'no reason given').slice(0, 255);

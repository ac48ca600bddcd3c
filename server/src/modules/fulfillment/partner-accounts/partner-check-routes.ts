import { Type } from 'typebox';

import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { toWireAmount } from '../../../platform/money.ts';
import { secondsAfter } from '../../../platform/time.ts';
import type { Partner } from '../partners/partner.ts';
import { readPartnerHealth } from './health-store.ts';
import { findPartner } from './partner-store.ts';
import type { PartnerRow } from './partner-store.ts';
import { balanceAnswer, healthAnswer, testAnswer } from './partner-wire.ts';
import { partnerNotFound } from './save-partner.ts';
import { checkBalance, isBalanceLow } from './watch-balances.ts';
import type { BalanceDeps } from './watch-balances.ts';

const tag = 'Partners';
const read = { permission: 'partners:read' } as const;
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });
const WINDOW_HOURS = 24;

/** What a partner says of itself, and how it has been doing. Nothing here buys. */
export function partnerCheckRoutes(deps: BalanceDeps): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/partners/:id/test',
      access: { permission: 'partners:write' },
      summary: 'Whether the partner answers and takes our credentials',
      tag,
      params,
      data: testAnswer,
      errors: ['NOT_FOUND'],
      handle: async ({ params: { id } }) => testPartner(deps, await getPartner(deps, id)),
    }),
    endpoint({
      method: 'GET',
      path: '/partners/:id/balance',
      access: read,
      summary: 'What is left of our prepaid money, asked now',
      tag,
      params,
      data: balanceAnswer,
      errors: ['NOT_FOUND'],
      handle: async ({ params: { id } }) => readBalance(deps, await getPartner(deps, id)),
    }),
    endpoint({
      method: 'GET',
      path: '/partners/:id/health',
      access: read,
      summary: 'Success, latency, unclear purchases and breaker of the last day',
      tag,
      params,
      data: healthAnswer,
      errors: ['NOT_FOUND'],
      handle: async ({ params: { id } }) => readHealth(deps, await getPartner(deps, id)),
    }),
  ];
}

async function getPartner(deps: BalanceDeps, id: number): Promise<PartnerRow> {
  const row = await findPartner(deps.db, id);
  if (!row) throw partnerNotFound();
  return row;
}

async function testPartner(deps: BalanceDeps, row: PartnerRow) {
  const startedAt = Date.now();
  const done = (reachable: boolean, message: string) => ({
    reachable,
    message,
    took_ms: Date.now() - startedAt,
  });
  try {
    const { build, line } = await deps.partners.open(row.id);
    return done(true, await askSomethingHarmless(build(line)));
  } catch (error) {
    return done(false, (error as Error).message.slice(0, 500));
  }
}

/** @returns what was learned. @throws Error when it did not answer as it should. */
async function askSomethingHarmless(partner: Partner): Promise<string> {
  const { listProducts, query } = partner;
  if (partner.readBalance) {
    const { amountMinor, currency } = await partner.readBalance();
    return `It answers; the balance is ${toWireAmount(amountMinor)} ${currency}`;
  }
  if (listProducts) return `It answers; the first page has ${(await listProducts(1)).length} products`;
  if (!query) return 'Its configuration is whole; it has nothing that could be asked without buying';
  const nothing = { product: '', options: {}, mode: 'CODE', input: {}, costMinor: null } as const;
  const result = await query({ ...nothing, reference: 'VC0-0-0-CONNECTION-TEST' });
  if (result.kind === 'not_found') return 'It answers, and does not know a reference that was never used';
  throw new Error(`It answered a question about an unused reference with ${result.kind}`);
}

async function readBalance(deps: BalanceDeps, row: PartnerRow) {
  const threshold = row.balance_threshold_minor;
  const shown = { threshold: threshold === null ? null : toWireAmount(threshold) };
  try {
    const { amountMinor, currency } = await checkBalance(deps, row);
    return {
      ...shown,
      amount: toWireAmount(amountMinor),
      currency,
      checked_at: deps.clock.now().toISOString(),
      is_low: isBalanceLow(amountMinor, threshold),
      problem: null,
    };
  } catch (error) {
    return {
      ...shown,
      amount: row.balance_minor === null ? null : toWireAmount(row.balance_minor),
      currency: row.balance_currency,
      checked_at: row.balance_checked_at?.toISOString() ?? null,
      is_low: isBalanceLow(row.balance_minor, threshold),
      problem: (error as Error).message.slice(0, 500),
    };
  }
}

async function readHealth(deps: BalanceDeps, row: PartnerRow) {
  const since = secondsAfter(deps.clock.now(), -WINDOW_HOURS * 3600);
  const health = await readPartnerHealth(deps.db, row.id, since);
  const { calls, unanswered } = health;
  return {
    status: row.status,
    breaker: deps.partners.line(row.id).breaker(),
    window_hours: WINDOW_HOURS,
    calls,
    unanswered_calls: unanswered,
    success_rate: calls === 0 ? null : Math.round(((calls - unanswered) / calls) * 10_000) / 10_000,
    latency_p50_ms: health.p50_ms,
    latency_p95_ms: health.p95_ms,
    delivered: health.delivered,
    refused: health.refused,
    unclear: health.unclear,
    oldest_unclear_at: health.oldest_unclear_at?.toISOString() ?? null,
  };
}

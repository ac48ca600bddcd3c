import { randomUUID } from 'node:crypto';

import { operate } from './operator.ts';
import type { Operator } from './operator.ts';
import { call } from './shop.ts';
import type { Answered } from './shop.ts';
import type { TestService } from './test-service.ts';

export interface Campaign {
  readonly id: number;
  readonly slug: string;
  /** Tokens, in the order of their voucher codes `GIFT-1`, `GIFT-2`, … */
  readonly tokens: readonly string[];
}

/** A running campaign with codes, made by an operator. */
export async function aCampaign(
  service: TestService,
  operator: Operator,
  options: { readonly codes: number } & Readonly<Record<string, unknown>>,
): Promise<Campaign> {
  const { codes, ...fields } = options;
  const slug = `campaign-${randomUUID()}`;
  const created = await operate<{ id: number }>(service, operator, {
    path: '/redemption/campaigns',
    method: 'POST',
    body: { name: 'Summer gift', slug, ...fields },
  });
  const { id } = created.data;
  const entries = Array.from({ length: codes }, (_, n) => ({ actual_voucher_code: `GIFT-${n + 1}` }));
  const generated = await operate<{ codes: { code: string }[] }>(service, operator, {
    path: `/redemption/campaigns/${id}/codes/generate`,
    method: 'POST',
    body: { entries },
  });
  return { id, slug, tokens: generated.data.codes.map(({ code }) => code) };
}

export interface Redeemed {
  readonly status: string;
  readonly voucher_code: string;
  readonly instructions: string | null;
  /** Why not. */
  readonly code: string;
}

export function redeem(
  service: TestService,
  token: string | undefined,
  from: { readonly ip?: string; readonly email?: string } = {},
): Promise<Answered<Redeemed>> {
  const { ip, email } = from;
  return call<Redeemed>(service, {
    path: '/redemption/redeem',
    body: { code: token, phone: '01712345678', ...(email ? { email } : {}) },
    ...(ip ? { headers: { 'x-forwarded-for': ip } } : {}),
  });
}

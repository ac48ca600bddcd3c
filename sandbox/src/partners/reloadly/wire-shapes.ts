import { printAmount } from '../../amount.ts';
import type { Account } from '../account.ts';
import { reloadlyDateTime } from './reloadly-error.ts';

/** Money is a JSON number on this wire; the decimals are exact until here. */
export function wireNumber(amountMinor: number): number {
  return Number(printAmount(amountMinor));
}

/** A list as the vendor pages it. */
export function pageOf(content: readonly object[], query: { page?: string; size?: string }) {
  const size = Math.max(1, Math.min(200, Number(query.size ?? 200) || 200));
  const number = Math.max(0, Number(query.page ?? 1) - 1 || 0);
  const shown = content.slice(number * size, (number + 1) * size);
  const totalPages = Math.ceil(content.length / size);
  return {
    content: shown,
    totalElements: content.length,
    totalPages,
    size,
    number,
    numberOfElements: shown.length,
    first: number === 0,
    last: number + 1 >= totalPages,
    empty: shown.length === 0,
  };
}

export function balanceOf(account: Account) {
  return {
    balance: wireNumber(account.shownMinor()),
    currencyCode: 'USD',
    currencyName: 'US Dollar',
    updatedAt: reloadlyDateTime(),
  };
}

/** The account before and after a purchase. */
export function balanceInfo(account: Account, costMinor: number) {
  const newMinor = account.balanceMinor();
  return {
    oldBalance: wireNumber(newMinor + costMinor),
    newBalance: wireNumber(newMinor),
    cost: wireNumber(costMinor),
    currencyCode: 'USD',
    currencyName: 'US Dollar',
    updatedAt: reloadlyDateTime(),
  };
}

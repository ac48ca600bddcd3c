import { describe, expect, it } from 'vitest';

import { diagnose, urgencyOf } from './queue-rules.ts';
import type { QueuedItem } from './queue-rules.ts';

const lacking: QueuedItem = {
  mode: 'CODE',
  engine: 'PARTNER',
  quantity: 2,
  fulfilled: false,
  status: 'FAILED',
  codes: 0,
  unclearPurchases: 0,
  activeSources: 1,
  sellableUnits: 0,
  lastAttemptStatus: 'PARTNER_FAILED',
};
const done: QueuedItem = { ...lacking, fulfilled: true, codes: 2, status: 'SUCCEEDED' };
const stored: QueuedItem = { ...lacking, codes: 2, status: 'DISPATCH_FAILED' };

describe('why an order needs a person', () => {
  it.each([
    [
      'a purchase nobody knows the end of',
      [lacking, { ...lacking, unclearPurchases: 1 }],
      'partner_result_unknown',
      'requery_partner',
    ],
    ['codes that are stored and not sent', [stored, done], 'email_failed', 'resend_email'],
    [
      'a credit that was made and not told',
      [{ ...lacking, mode: 'TOPUP', status: 'PROCESSING' }],
      'email_failed',
      'resend_email',
    ],
    [
      'an empty stock',
      [{ ...lacking, engine: 'PRELOADED', activeSources: 0 }],
      'out_of_stock',
      'manual_codes',
    ],
    [
      'a stock that has been filled',
      [{ ...lacking, engine: 'PRELOADED', sellableUnits: 2 }],
      'in_stock_again',
      'partner_retry',
    ],
    ['no source', [{ ...lacking, activeSources: 0 }], 'no_partner_source', 'manual_codes'],
    ['a partner’s no', [stored, lacking], 'partner_failed', 'partner_retry'],
    [
      'nothing tried yet',
      [{ ...lacking, status: 'PENDING', lastAttemptStatus: null }],
      'not_fulfilled',
      'partner_retry',
    ],
    ['an operator who asked', [done], 'asked_by_operator', 'resend_email'],
  ] as const)('is %s', (_, items, cause, action) => {
    expect(diagnose(items)).toMatchObject({ cause, action });
  });

  it('does not count the stock for credits, nor a part of what is missing', () => {
    expect(diagnose([{ ...lacking, mode: 'TOPUP', sellableUnits: 9 }]).cause).toBe('partner_failed');
    expect(diagnose([{ ...lacking, sellableUnits: 1 }]).cause).toBe('partner_failed');
    expect(diagnose([{ ...lacking, codes: 1, sellableUnits: 1 }]).cause).toBe('in_stock_again');
  });
});

describe('urgency', () => {
  it('grows after a quarter of an hour and after an hour', () => {
    expect([0, 899, 900, 3599, 3600].map(urgencyOf)).toEqual(['new', 'new', 'waiting', 'waiting', 'overdue']);
  });
});

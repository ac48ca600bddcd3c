import { describe, expect, it } from 'vitest';

import type { OrderItemRow, OrderRow } from '../orders/index.ts';
import type { PlainVoucher } from '../vouchers/index.ts';
import { writeOrderEmail } from './order-email.ts';

const order = { id: 1, order_number: 'VC-261121-ABCDEFGH' } as OrderRow;
const item = (id: number, quantity: number, more: Partial<OrderItemRow> = {}): OrderItemRow =>
  ({
    id,
    quantity,
    product_name: `Product ${id}`,
    variant_name: 'Small',
    mode: 'CODE',
    fulfillment_input: {},
    ...more,
  }) as OrderItemRow;
const voucher = (orderItemId: number, unitNo: number, more: Partial<PlainVoucher> = {}): PlainVoucher => ({
  voucherId: unitNo,
  orderItemId,
  unitNo,
  code: `CODE-${orderItemId}-${unitNo}`,
  pin: null,
  redemptionUrl: null,
  serialNumber: null,
  expiresAt: null,
  ...more,
});

describe('the e-mail with the codes', () => {
  it('holds every code once, labelled by product and variant, in text and in HTML', () => {
    const vouchers = [
      voucher(1, 1),
      voucher(1, 2),
      voucher(2, 1, { pin: '4711', expiresAt: new Date('2027-01-30T19:00:00Z') }),
    ];
    const mail = writeOrderEmail({ order, items: [item(1, 2), item(2, 1)], vouchers });
    expect(mail.subject).toBe('Your 3 codes - order VC-261121-ABCDEFGH');
    for (const { code } of vouchers) {
      expect(mail.text.split(code)).toHaveLength(2);
      expect(mail.html.split(code)).toHaveLength(2);
    }
    expect(mail.text).toContain('Product 1 - Small (1 of 2)\n  Code: CODE-1-1');
    expect(mail.text).toContain(
      'Product 2 - Small\n  Code: CODE-2-1\n  PIN: 4711\n  Valid until: 2027-01-31',
    );
  });

  it('says what was credited for a top-up, which has no code', () => {
    const topUp = item(1, 1, { mode: 'TOPUP', fulfillment_input: { account_id: '01700000000' } });
    const mail = writeOrderEmail({ order, items: [topUp], vouchers: [] });
    expect(mail.subject).toBe('Your order is complete - order VC-261121-ABCDEFGH');
    expect(mail.text).toContain('Credited to account_id: 01700000000');
  });

  it('runs nothing that a partner or an operator wrote into it', () => {
    const hostile = '<script>alert(1)</script>"\'';
    const mail = writeOrderEmail({
      order,
      items: [item(1, 1, { product_name: hostile })],
      vouchers: [voucher(1, 1, { code: hostile, redemptionUrl: 'javascript:alert(1)' })],
    });
    expect(mail.html).not.toContain('<script>');
    expect(mail.html).not.toContain('href="javascript:');
  });
});

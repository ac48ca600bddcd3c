import {
  byFlag,
  choice,
  flag,
  optionalAmount,
  optionalMoment,
  optionalText,
  optionalUrl,
  sortOrder,
  text,
} from '../../../platform/resource/fields.ts';
import type { Resource } from '../../../platform/resource/resource.ts';
import { fieldError } from '../../../platform/errors.ts';
import { refuseEndBeforeStart } from '../content/schedule-rules.ts';

/** The method values of interface part 4. Which gateway serves one is configuration; this row says how it is shown. */
export const PAYMENT_METHODS = [
  'gw_aggregator',
  'gw_wallet_tokenized',
  'gw_multi_wallet',
  'dcb',
  'gw_wallet_direct',
] as const;

export const paymentMethodResource: Resource = {
  name: 'payment method',
  tag: 'Payment methods',
  table: 'payment_methods',
  path: '/payment-methods',
  permission: { read: 'payment_methods:read', write: 'payment_methods:write' },
  fields: {
    method: choice(PAYMENT_METHODS, { isRequired: true, write: 'onCreate' }),
    name: text({ max: 200 }),
    name_bn: optionalText(200),
    description: optionalText(2_000),
    image_url: optionalUrl(),
    min_amount: optionalAmount({ column: 'min_minor' }),
    max_amount: optionalAmount({ column: 'max_minor' }),
    is_active: flag(),
    maintenance_from: optionalMoment(),
    maintenance_until: optionalMoment(),
    sort_order: sortOrder(),
  },
  search: ['name', 'name_bn', 'method'],
  filters: { is_active: byFlag('is_active') },
  sorts: ['sort_order', 'id', 'name', 'method'],
  operations: [
    'list',
    'create',
    'update',
    {
      patch: 'status',
      fields: ['is_active', 'maintenance_from', 'maintenance_until'],
      summary: 'Switch a payment method on or off, or schedule its maintenance',
    },
    { reorder: 'PATCH' },
  ],
  async check(_tx, { before, input }) {
    const after = { ...before, ...input };
    refuseEndBeforeStart(after, { start: 'maintenance_from', end: 'maintenance_until' });
    const [min, max] = [after['min_amount'], after['max_amount']];
    if (typeof min === 'number' && typeof max === 'number' && max < min)
      throw fieldError('max_amount', 'max_amount must not be below min_amount');
    return undefined;
  },
};

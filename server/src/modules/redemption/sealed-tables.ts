import type { SealedTable } from '../../platform/reseal.ts';
import { redemptionContexts } from './redemption-secrets.ts';

/** What campaigns seal, for the rotation of keys. Of an attempt nothing but the seal may change. */
export const redemptionSeals: readonly SealedTable[] = [
  {
    table: 'redemption_codes',
    key: ['id'],
    columns: [
      { name: 'token_sealed', contextOf: () => redemptionContexts.token },
      { name: 'voucher_code_sealed', contextOf: () => redemptionContexts.voucherCode },
    ],
  },
  {
    table: 'redemption_attempts',
    key: ['id'],
    columns: [{ name: 'token_sealed', contextOf: () => redemptionContexts.typedToken }],
  },
];

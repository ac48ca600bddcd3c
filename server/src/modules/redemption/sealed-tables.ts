import type { SealedTable } from '../../platform/reseal.ts';
import { redemptionContexts } from './redemption-secrets.ts';

/** What campaigns seal and may seal again; the attempts are append-only and stay under the key of their day. */
export const redemptionSeals: readonly SealedTable[] = [
  {
    table: 'redemption_codes',
    key: ['id'],
    columns: [
      { name: 'token_sealed', contextOf: () => redemptionContexts.token },
      { name: 'voucher_code_sealed', contextOf: () => redemptionContexts.voucherCode },
    ],
  },
];

import type { SealedTable } from '../../platform/reseal.ts';
import { voucherContexts } from './voucher-secrets.ts';

const columns = [
  { name: 'code_sealed', contextOf: () => voucherContexts.code },
  { name: 'pin_sealed', contextOf: () => voucherContexts.pin },
  { name: 'redemption_url_sealed', contextOf: () => voucherContexts.redemptionUrl },
  { name: 'serial_number_sealed', contextOf: () => voucherContexts.serialNumber },
];

/** Everything the vault seals, for the rotation of keys. */
export const voucherSeals: readonly SealedTable[] = [
  { table: 'vouchers', key: ['id'], columns },
  { table: 'voucher_batch_rows', key: ['batch_id', 'line'], columns },
];

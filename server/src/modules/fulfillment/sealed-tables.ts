import type { SealedTable } from '../../platform/reseal.ts';
import { CREDENTIALS } from './partner-accounts/partner-directory.ts';

/** What partners are known by, for the rotation of keys; tokens end by themselves, calls are append-only. */
export const partnerSeals: readonly SealedTable[] = [
  { table: 'partners', key: ['id'], columns: [{ name: 'credentials_sealed', contextOf: () => CREDENTIALS }] },
];

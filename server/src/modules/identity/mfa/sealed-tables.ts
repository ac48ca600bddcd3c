import type { SealedTable } from '../../../platform/reseal.ts';
import { totpContext } from './second-factor.ts';

/** What the second factor of operators is made from, for the rotation of keys. */
export const identitySeals: readonly SealedTable[] = [
  {
    table: 'admins',
    key: ['id'],
    columns: [{ name: 'totp_secret', contextOf: ([id]) => totpContext(Number(id)) }],
  },
];

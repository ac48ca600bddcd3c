import type { SealedTable } from '../../platform/reseal.ts';
import { CREDENTIALS } from './partner-accounts/partner-directory.ts';
import { partnerTokenContext } from './partner-accounts/token-store.ts';
import { ANSWER_CONTEXT } from './purchases/call-store.ts';

/** What partners are known by, and what they answered, for the rotation of keys. Of a call nothing but the seal may change. */
export const partnerSeals: readonly SealedTable[] = [
  { table: 'partners', key: ['id'], columns: [{ name: 'credentials_sealed', contextOf: () => CREDENTIALS }] },
  {
    table: 'partner_tokens',
    key: ['partner_id', { text: 'audience' }],
    columns: [
      {
        name: 'token_sealed',
        contextOf: ([partnerId, audience]) => partnerTokenContext(Number(partnerId), String(audience)),
      },
    ],
  },
  {
    table: 'partner_api_calls',
    key: ['id'],
    columns: [{ name: 'response_sealed', contextOf: () => ANSWER_CONTEXT }],
    // Whole answers, a quarter of a megabyte each at most.
    rowsAtOnce: 50,
  },
];

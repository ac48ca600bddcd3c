import { webhookSeals } from '../modules/events/index.ts';
import { partnerSeals } from '../modules/fulfillment/index.ts';
import { identitySeals } from '../modules/identity/index.ts';
import { gatewayTokenSeals } from '../modules/payments/index.ts';
import { redemptionSeals } from '../modules/redemption/index.ts';
import { voucherSeals } from '../modules/vouchers/index.ts';
import type { SealedTable } from '../platform/reseal.ts';

/** What only tells of the past comes last: when its key is lost, all that is still needed is under the new one by then. */
const history: ReadonlySet<string> = new Set(['partner_api_calls', 'redemption_attempts']);
const isHistory = ({ table }: SealedTable): number => Number(history.has(table));

/** Everything sealed in the database; a test compares it with the schema. */
export const allSeals: readonly SealedTable[] = [
  ...voucherSeals,
  ...redemptionSeals,
  ...partnerSeals,
  ...webhookSeals,
  ...identitySeals,
  ...gatewayTokenSeals,
].toSorted((one, other) => isHistory(one) - isHistory(other));

import { webhookSeals } from '../modules/events/index.ts';
import { partnerSeals } from '../modules/fulfillment/index.ts';
import { identitySeals } from '../modules/identity/index.ts';
import { redemptionSeals } from '../modules/redemption/index.ts';
import { voucherSeals } from '../modules/vouchers/index.ts';

/** Everything sealed in the database that can be sealed again. */
export const allSeals = [
  ...voucherSeals,
  ...redemptionSeals,
  ...partnerSeals,
  ...webhookSeals,
  ...identitySeals,
];

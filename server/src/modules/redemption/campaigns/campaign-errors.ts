import { violatedConstraint } from '../../../platform/db/database.ts';
import { fieldError } from '../../../platform/errors.ts';
import { conflict } from '../errors.ts';

/** What the database refused about a campaign, as an operator can mend it; anything else comes back as it is. */
export function campaignError(error: unknown, slug: string): unknown {
  switch (violatedConstraint(error)) {
    case 'redemption_campaigns__slug':
      return conflict(`Another campaign has the slug ${slug} already`);
    case 'redemption_campaigns_variant_id_fkey':
      return fieldError('variant_id', 'There is no product variant with this id');
    default:
      return error;
  }
}

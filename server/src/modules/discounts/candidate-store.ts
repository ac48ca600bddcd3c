import { statement } from '../../platform/db/database.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { DISCOUNT_COLUMNS } from './discount-store.ts';
import type { DiscountRow } from './discount-store.ts';

/** A discount as one customer finds it at this moment: read for every try, kept nowhere. */
export interface CandidateRow extends DiscountRow {
  /** As the order and messages show it. */
  readonly shown_code: string;
  /** The single-use code, null for the rule's own. */
  readonly code_id: number | null;
  readonly is_code_taken: boolean;
  /** Live uses of this customer; 0 when there is none. */
  readonly customer_uses: number;
  /** The customer has a live use of a discount for first orders. */
  readonly has_welcome_use: boolean;
}

const isTaken = `EXISTS (SELECT FROM discount_uses taken
  WHERE taken.code_id = code.id AND taken.released_at IS NULL AND taken.is_counted)`;
const hasWelcomeUse = (
  user: string,
): string => `d.first_order_only AND EXISTS (SELECT FROM discount_uses welcome
  WHERE welcome.user_id = ${user} AND welcome.is_first_order AND welcome.released_at IS NULL AND welcome.is_counted)`;

const findByCode = statement(
  'discounts_find_candidate',
  `SELECT ${DISCOUNT_COLUMNS},
     CASE WHEN code.batch_id IS NULL THEN d.code ELSE code.code END AS shown_code,
     CASE WHEN code.batch_id IS NULL THEN NULL ELSE code.id END AS code_id,
     code.batch_id IS NOT NULL AND ${isTaken} AS is_code_taken,
     COALESCE(customer.uses, 0) AS customer_uses,
     ${hasWelcomeUse('$2')} AS has_welcome_use
   FROM discount_codes code
   JOIN discounts d ON d.id = code.discount_id
   LEFT JOIN discount_customers customer ON customer.discount_id = d.id AND customer.user_id = $2
   WHERE code.code = $1 AND (code.batch_id IS NOT NULL OR NOT d.unique_codes_only)`,
);

/** @param codeKey in capitals. */
export async function findCandidate(
  reader: Reader,
  codeKey: string,
  userId: number | null,
): Promise<CandidateRow | undefined> {
  return (await reader.query<CandidateRow>(findByCode, [codeKey, userId])).rows[0];
}

const findById = statement(
  'discounts_find_candidate_by_id',
  `SELECT ${DISCOUNT_COLUMNS}, d.code AS shown_code, NULL::bigint AS code_id, false AS is_code_taken,
     COALESCE(customer.uses, 0) AS customer_uses, ${hasWelcomeUse('$2')} AS has_welcome_use
   FROM discounts d
   LEFT JOIN discount_customers customer ON customer.discount_id = d.id AND customer.user_id = $2
   WHERE d.id = $1`,
);

export async function findCandidateById(
  reader: Reader,
  discountId: number,
  userId: number | null,
): Promise<CandidateRow | undefined> {
  return (await reader.query<CandidateRow>(findById, [discountId, userId])).rows[0];
}

/** How an order used its discount, with the discount as it is now. */
export interface UsedCandidateRow extends CandidateRow {
  readonly user_id: number;
  readonly subtotal_minor: number;
  readonly discount_minor: number;
  readonly is_live: boolean;
}

const findUsed = statement(
  'discounts_find_last_use',
  `SELECT ${DISCOUNT_COLUMNS}, last.code AS shown_code, last.code_id, last.user_id, last.subtotal_minor,
     last.discount_minor, last.released_at IS NULL AS is_live,
     last.code_id IS NOT NULL AND EXISTS (SELECT FROM discount_uses taken WHERE taken.code_id = last.code_id
       AND taken.released_at IS NULL AND taken.is_counted) AS is_code_taken,
     COALESCE(customer.uses, 0) AS customer_uses, ${hasWelcomeUse('last.user_id')} AS has_welcome_use
   FROM discount_uses last
   JOIN discounts d ON d.id = last.discount_id
   LEFT JOIN discount_customers customer ON customer.discount_id = d.id AND customer.user_id = last.user_id
   WHERE last.order_id = $1
   ORDER BY last.id DESC LIMIT 1`,
);

export async function findLastUse(reader: Reader, orderId: number): Promise<UsedCandidateRow | undefined> {
  return (await reader.query<UsedCandidateRow>(findUsed, [orderId])).rows[0];
}

const listPublic = statement(
  'discounts_list_offers',
  `SELECT ${DISCOUNT_COLUMNS}, d.code AS shown_code, NULL::bigint AS code_id, false AS is_code_taken,
     COALESCE(customer.uses, 0) AS customer_uses, ${hasWelcomeUse('$1')} AS has_welcome_use
   FROM discounts d
   LEFT JOIN discount_customers customer ON customer.discount_id = d.id AND customer.user_id = $1
   WHERE d.is_public AND d.is_active AND NOT d.unique_codes_only
     AND (d.start_date IS NULL OR d.start_date <= $2) AND (d.end_date IS NULL OR d.end_date >= $2)
     AND (d.usage_limit IS NULL OR d.usage_count < d.usage_limit)
   ORDER BY d.end_date NULLS LAST, d.id LIMIT $3`,
);

export async function listOffers(
  reader: Reader,
  wanted: { userId: number | null; at: Date; limit: number },
): Promise<CandidateRow[]> {
  return (await reader.query<CandidateRow>(listPublic, [wanted.userId, wanted.at, wanted.limit])).rows;
}

const addRefusal = statement(
  'discounts_add_refusal',
  'INSERT INTO discount_refusals (discount_id, user_id, reason, occurred_at) VALUES ($1, $2, $3, $4)',
);
const dropOld = statement(
  'discounts_drop_old_refusals',
  'DELETE FROM discount_refusals WHERE occurred_at < $1',
);

export async function insertRefusal(
  tx: Tx,
  refusal: { discountId: number; userId: number | null; reason: string; at: Date },
): Promise<void> {
  await tx.query(addRefusal, [refusal.discountId, refusal.userId, refusal.reason, refusal.at]);
}

export async function deleteRefusalsBefore(tx: Tx, before: Date): Promise<void> {
  await tx.query(dropOld, [before]);
}

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

// One round trip: the budget of whoever guesses and the discount, if there is one.
const findByCode = statement(
  'discounts_find_candidate',
  `SELECT candidate.*, guesses.misses, guesses.window_ends_at
   FROM (SELECT 1) AS always
   LEFT JOIN discount_guesses guesses ON guesses.subject = $3 AND guesses.window_ends_at > $4
   LEFT JOIN (
     SELECT ${DISCOUNT_COLUMNS},
       CASE WHEN code.batch_id IS NULL THEN d.code ELSE code.code END AS shown_code,
       CASE WHEN code.batch_id IS NULL THEN NULL ELSE code.id END AS code_id,
       code.batch_id IS NOT NULL AND ${isTaken} AS is_code_taken,
       COALESCE(customer.uses, 0) AS customer_uses,
       ${hasWelcomeUse('$2')} AS has_welcome_use
     FROM discount_codes code
     JOIN discounts d ON d.id = code.discount_id
     LEFT JOIN discount_customers customer ON customer.discount_id = d.id AND customer.user_id = $2
     WHERE code.code = $1 AND (code.batch_id IS NOT NULL OR NOT d.unique_codes_only)
   ) AS candidate ON true`,
);

export interface CandidateSearch {
  /** In capitals; null for what can be no code. */
  readonly codeKey: string | null;
  readonly userId: number | null;
  /** Whose budget of guesses is read; null for nobody's. */
  readonly guesser: string | null;
  readonly at: Date;
}

export interface FoundCandidate {
  readonly candidate: CandidateRow | undefined;
  readonly misses: number;
  readonly window_ends_at: Date | null;
}

export async function findCandidate(reader: Reader, search: CandidateSearch): Promise<FoundCandidate> {
  const { codeKey, userId, guesser, at } = search;
  const { rows } = await reader.query<
    CandidateRow & { id: number | null; misses: number | null; window_ends_at: Date | null }
  >(findByCode, [codeKey, userId, guesser, at]);
  const row = rows[0];
  return {
    candidate: row === undefined || row.id === null ? undefined : row,
    misses: row?.misses ?? 0,
    window_ends_at: row?.window_ends_at ?? null,
  };
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

const addMiss = statement(
  'discounts_add_guess',
  `INSERT INTO discount_guesses AS guesses (subject, misses, window_ends_at) VALUES ($1, 1, $3)
   ON CONFLICT (subject) DO UPDATE SET
     misses = CASE WHEN guesses.window_ends_at > $2 THEN guesses.misses + 1 ELSE 1 END,
     window_ends_at = CASE WHEN guesses.window_ends_at > $2 THEN guesses.window_ends_at ELSE $3 END`,
);
const addRefusal = statement(
  'discounts_add_refusal',
  'INSERT INTO discount_refusals (discount_id, user_id, reason, occurred_at) VALUES ($1, $2, $3, $4)',
);
const dropOld = statement(
  'discounts_drop_old_notes',
  `WITH guesses AS (DELETE FROM discount_guesses WHERE window_ends_at <= $1)
   DELETE FROM discount_refusals WHERE occurred_at < $2`,
);

/** One more code that does not exist; a window that is over starts again. */
export async function insertGuess(
  tx: Tx,
  guess: { subject: string; at: Date; windowEndsAt: Date },
): Promise<void> {
  await tx.query(addMiss, [guess.subject, guess.at, guess.windowEndsAt]);
}

export async function insertRefusal(
  tx: Tx,
  refusal: { discountId: number; userId: number | null; reason: string; at: Date },
): Promise<void> {
  await tx.query(addRefusal, [refusal.discountId, refusal.userId, refusal.reason, refusal.at]);
}

export async function deleteOldNotes(tx: Tx, ages: { now: Date; refusalsBefore: Date }): Promise<void> {
  await tx.query(dropOld, [ages.now, ages.refusalsBefore]);
}

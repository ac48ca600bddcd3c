import type { UserRow, UserStatus } from '../accounts/user-store.ts';
import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

export interface PersonRow extends UserRow {
  readonly status_reason: string | null;
  readonly last_seen_at: Date | null;
}

const SELECT_PERSON = `
  SELECT u.id, u.msisdn, u.name, u.email, u.email_verified_at, u.status, u.status_reason, u.language, u.notify_email,
    u.notify_sms, u.marketing, u.created_at,
    (SELECT max(last_seen_at) FROM sessions s WHERE s.user_id = u.id) AS last_seen_at
  FROM users u`;

const list = statement(
  'identity_list_people',
  `SELECT found.*, count(*) OVER () AS total FROM (${SELECT_PERSON}
     WHERE ($1::text IS NULL OR u.msisdn LIKE $2 OR u.name ILIKE $2 OR lower(u.email) LIKE lower($2)
       OR u.id::text = $1 OR u.id = ANY ($4::bigint[]))
       AND ($3::text IS NULL OR u.status = $3)) AS found
   ORDER BY found.id DESC LIMIT $5 OFFSET $6`,
);
const find = statement('identity_find_person', `${SELECT_PERSON} WHERE u.id = $1`);
const setStatus = statement(
  'identity_update_person_status',
  `UPDATE users SET status = $2, status_reason = $3 WHERE id = $1 AND status = $4`,
);

export interface PeopleFilter {
  readonly search: string | null;
  readonly status: UserStatus | null;
  /** Customers that the search finds by what other modules know: their order numbers. */
  readonly ids: readonly number[];
}

export async function listPeople(
  reader: Reader,
  filter: PeopleFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: PersonRow[]; total: number }> {
  const { search, status, ids } = filter;
  const pattern = search === null ? null : `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`;
  const values = [search, pattern, status, ids, page.limit, page.offset];
  const { rows } = await reader.query<PersonRow & { total: number }>(list, values);
  return { rows, total: rows[0]?.total ?? 0 };
}

export async function findPerson(reader: Reader, id: number): Promise<PersonRow | undefined> {
  return (await reader.query<PersonRow>(find, [id])).rows[0];
}

/** False unless the status was `from`. */
export async function updatePersonStatus(
  tx: Tx,
  change: { id: number; from: UserStatus; to: UserStatus; reason: string | null },
): Promise<boolean> {
  return (await tx.query(setStatus, [change.id, change.to, change.reason, change.from])).count === 1;
}

import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

export type UserStatus = 'active' | 'blocked' | 'closed';

export interface UserRow {
  readonly id: number;
  /** Null exactly when the account is closed. */
  readonly msisdn: string | null;
  readonly name: string;
  readonly email: string | null;
  readonly email_verified_at: Date | null;
  readonly status: UserStatus;
  readonly language: 'en' | 'bn';
  readonly notify_email: boolean;
  readonly notify_sms: boolean;
  readonly marketing: boolean;
  readonly created_at: Date;
}

export interface UserWithHash extends UserRow {
  readonly password_hash: string;
}

const COLUMNS =
  'id, msisdn, name, email, email_verified_at, status, language, notify_email, notify_sms, marketing, created_at';

const findById = statement('identity_find_user', `SELECT ${COLUMNS} FROM users WHERE id = $1`);
const findByMsisdn = statement(
  'identity_find_user_by_msisdn',
  `SELECT ${COLUMNS}, password_hash FROM users WHERE msisdn = $1`,
);
const insert = statement(
  'identity_insert_user',
  `INSERT INTO users (msisdn, name, email, password_hash) VALUES ($1, $2, $3, $4)
   ON CONFLICT ON CONSTRAINT users__msisdn DO NOTHING RETURNING ${COLUMNS}`,
);

export async function findUser(reader: Reader, id: number): Promise<UserRow | undefined> {
  return (await reader.query<UserRow>(findById, [id])).rows[0];
}

export async function findUserByMsisdn(reader: Reader, msisdn: string): Promise<UserWithHash | undefined> {
  return (await reader.query<UserWithHash>(findByMsisdn, [msisdn])).rows[0];
}

/** No row when the number is taken. */
export async function insertUser(
  tx: Tx,
  user: { msisdn: string; name: string; email: string | null; passwordHash: string },
): Promise<UserRow | undefined> {
  const { msisdn, name, email, passwordHash } = user;
  return (await tx.query<UserRow>(insert, [msisdn, name, email, passwordHash])).rows[0];
}

import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

export interface SessionHolder {
  readonly userId: number | null;
  readonly adminId: number | null;
}

export interface NewSessionRow extends SessionHolder {
  readonly id: string;
  readonly secret: Buffer;
  readonly refreshDigest: Buffer;
  readonly userAgent: string | null;
  readonly ip: string;
  readonly now: Date;
  readonly expiresAt: Date;
}

// One statement: a session never exists without its first refresh token.
const insert = statement(
  'identity_insert_session',
  `WITH session AS (
     INSERT INTO sessions (id, user_id, admin_id, user_agent, ip, created_at, last_seen_at, expires_at, secret)
     VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8) RETURNING id)
   INSERT INTO refresh_tokens (digest, session_id, generation, created_at) SELECT $9, id, 1, $6 FROM session`,
);
const listEndedSince = statement(
  'identity_list_sessions_ended_since',
  'SELECT id, ended_at FROM sessions WHERE ended_at >= $1',
);

export async function insertSession(tx: Tx, row: NewSessionRow): Promise<void> {
  const { id, userId, adminId, userAgent, ip, now, expiresAt, secret, refreshDigest } = row;
  await tx.query(insert, [id, userId, adminId, userAgent, ip, now, expiresAt, secret, refreshDigest]);
}

export async function listSessionsEndedSince(
  reader: Reader,
  since: Date,
): Promise<{ id: string; ended_at: Date }[]> {
  return (await reader.query<{ id: string; ended_at: Date }>(listEndedSince, [since])).rows;
}

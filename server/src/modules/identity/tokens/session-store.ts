import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

export interface NewSessionRow {
  readonly id: string;
  readonly userId: number | null;
  readonly adminId: number | null;
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
const lockOfToken = statement(
  'identity_lock_session_of_token',
  `SELECT s.id, s.secret, s.confirmed_generation, s.ended_at, s.expires_at, t.generation,
     u.id AS active_user_id, a.id AS active_admin_id
   FROM refresh_tokens t
   JOIN sessions s ON s.id = t.session_id
   LEFT JOIN users u ON u.id = s.user_id AND u.status = 'active'
   LEFT JOIN admins a ON a.id = s.admin_id AND a.status = 'active'
   WHERE t.digest = $1 FOR UPDATE OF s`,
);
const confirm = statement(
  'identity_confirm_generation',
  `UPDATE sessions SET confirmed_generation = greatest(confirmed_generation, $2), last_seen_at = $3 WHERE id = $1`,
);
const insertToken = statement(
  'identity_insert_refresh_token',
  `INSERT INTO refresh_tokens (session_id, generation, digest, created_at) VALUES ($1, $2, $3, $4)
   ON CONFLICT ON CONSTRAINT refresh_tokens__generation DO NOTHING`,
);
const findOfToken = statement(
  'identity_find_session_of_token',
  `SELECT s.id, s.user_id, s.admin_id FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id
   WHERE t.digest = $1`,
);
const end = statement(
  'identity_end_sessions',
  `UPDATE sessions SET ended_at = $5, end_reason = $6
   WHERE ended_at IS NULL
     AND ($1::uuid IS NULL OR id = $1) AND ($2::bigint IS NULL OR user_id = $2)
     AND ($3::bigint IS NULL OR admin_id = $3) AND ($4::uuid IS NULL OR id <> $4)
   RETURNING id`,
);
const listLive = statement(
  'identity_list_live_sessions',
  `SELECT id, user_agent, ip, created_at, last_seen_at, expires_at, count(*) OVER () AS total FROM sessions
   WHERE ended_at IS NULL AND expires_at > $3 AND ($1::bigint IS NULL OR user_id = $1)
     AND ($2::bigint IS NULL OR admin_id = $2)
   ORDER BY last_seen_at DESC, id LIMIT $4 OFFSET $5`,
);
const listEndedSince = statement(
  'identity_list_sessions_ended_since',
  'SELECT id, ended_at FROM sessions WHERE ended_at >= $1',
);
const deleteOver = statement(
  'identity_delete_sessions_over',
  'DELETE FROM sessions WHERE expires_at < $1 OR ended_at < $1',
);

export async function insertSession(tx: Tx, row: NewSessionRow): Promise<void> {
  const { id, userId, adminId, userAgent, ip, now, expiresAt, secret, refreshDigest } = row;
  await tx.query(insert, [id, userId, adminId, userAgent, ip, now, expiresAt, secret, refreshDigest]);
}

export interface TokenSessionRow {
  readonly id: string;
  readonly secret: Buffer;
  readonly confirmed_generation: number;
  readonly ended_at: Date | null;
  readonly expires_at: Date;
  /** Of the token that was asked for. */
  readonly generation: number;
  /** Null when the holder is of the other kind, blocked or suspended. */
  readonly active_user_id: number | null;
  readonly active_admin_id: number | null;
}

export async function lockSessionOfToken(tx: Tx, digest: Buffer): Promise<TokenSessionRow | undefined> {
  return (await tx.query<TokenSessionRow>(lockOfToken, [digest])).rows[0];
}

export async function confirmGeneration(
  tx: Tx,
  session: { sessionId: string; generation: number; now: Date },
): Promise<void> {
  await tx.query(confirm, [session.sessionId, session.generation, session.now]);
}

/** Leaves the row alone when the token was issued before: it is the same one. */
export async function insertRefreshToken(
  tx: Tx,
  token: { sessionId: string; generation: number; digest: Buffer; now: Date },
): Promise<void> {
  await tx.query(insertToken, [token.sessionId, token.generation, token.digest, token.now]);
}

export interface SessionOwner {
  readonly id: string;
  readonly user_id: number | null;
  readonly admin_id: number | null;
}

export async function findSessionOfToken(reader: Reader, digest: Buffer): Promise<SessionOwner | undefined> {
  return (await reader.query<SessionOwner>(findOfToken, [digest])).rows[0];
}

export interface SessionsToEnd {
  readonly sessionId?: string;
  readonly userId?: number;
  readonly adminId?: number;
  readonly exceptSessionId?: string;
  readonly reason: string;
  readonly now: Date;
}

/** Ends the live sessions that match everything given, and answers their ids. */
export async function endSessions(tx: Tx, which: SessionsToEnd): Promise<string[]> {
  const { sessionId = null, userId = null, adminId = null, exceptSessionId = null, reason, now } = which;
  if (sessionId === null && userId === null && adminId === null) throw new Error('Say whose sessions end');
  const values = [sessionId, userId, adminId, exceptSessionId, now, reason];
  return (await tx.query<{ id: string }>(end, values)).rows.map((row) => row.id);
}

export interface LiveSessionRow {
  readonly id: string;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly created_at: Date;
  readonly last_seen_at: Date;
  readonly expires_at: Date;
}

export interface SessionHolder {
  readonly userId?: number;
  readonly adminId?: number;
}

export async function listLiveSessions(
  reader: Reader,
  holder: SessionHolder,
  page: { now: Date; limit: number; offset: number },
): Promise<{ rows: LiveSessionRow[]; total: number }> {
  const { userId = null, adminId = null } = holder;
  if (userId === null && adminId === null) throw new Error('Say whose sessions');
  const values = [userId, adminId, page.now, page.limit, page.offset];
  const { rows } = await reader.query<LiveSessionRow & { total: number }>(listLive, values);
  return { rows, total: rows[0]?.total ?? 0 };
}

export async function listSessionsEndedSince(
  reader: Reader,
  since: Date,
): Promise<{ id: string; ended_at: Date }[]> {
  return (await reader.query<{ id: string; ended_at: Date }>(listEndedSince, [since])).rows;
}

/** Sessions that ended or expired before the moment, with their refresh tokens. */
export async function deleteSessionsOver(reader: Reader, moment: Date): Promise<number> {
  return (await reader.query(deleteOver, [moment])).count;
}

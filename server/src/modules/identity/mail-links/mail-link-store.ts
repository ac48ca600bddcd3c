import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

export type LinkPurpose = 'verify_email' | 'reset_admin_password';

export interface LinkRow {
  readonly user_id: number | null;
  readonly admin_id: number | null;
  readonly email: string;
}

const insert = statement(
  'identity_insert_email_link',
  `INSERT INTO email_links (digest, purpose, user_id, admin_id, email, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);
const countRecent = statement(
  'identity_count_recent_email_links',
  `SELECT count(*) AS sent, min(created_at) AS oldest FROM email_links
   WHERE (user_id = $1 OR admin_id = $2) AND created_at > $3`,
);
const use = statement(
  'identity_use_email_link',
  `UPDATE email_links SET used_at = $3
   WHERE digest = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > $3
   RETURNING user_id, admin_id, email`,
);
const deleteOver = statement(
  'identity_delete_email_links_over',
  'DELETE FROM email_links WHERE expires_at < $1',
);

export interface NewLink {
  readonly digest: Buffer;
  readonly purpose: LinkPurpose;
  readonly userId: number | null;
  readonly adminId: number | null;
  readonly email: string;
  readonly now: Date;
  readonly expiresAt: Date;
}

export async function insertLink(tx: Tx, link: NewLink): Promise<void> {
  const { digest, purpose, userId, adminId, email, now, expiresAt } = link;
  await tx.query(insert, [digest, purpose, userId, adminId, email, now, expiresAt]);
}

export async function countRecentLinks(
  reader: Reader,
  holder: { userId: number | null; adminId: number | null },
  since: Date,
): Promise<{ sent: number; oldest: Date | null }> {
  const { rows } = await reader.query<{ sent: number; oldest: Date | null }>(countRecent, [
    holder.userId,
    holder.adminId,
    since,
  ]);
  return rows[0] ?? { sent: 0, oldest: null };
}

/** Undefined when it is unknown, over or used: of two who use it at once, one gets the row. */
export async function useLink(
  tx: Tx,
  link: { digest: Buffer; purpose: LinkPurpose; now: Date },
): Promise<LinkRow | undefined> {
  return (await tx.query<LinkRow>(use, [link.digest, link.purpose, link.now])).rows[0];
}

export async function deleteLinksOver(reader: Reader, now: Date): Promise<number> {
  return (await reader.query(deleteOver, [now])).count;
}

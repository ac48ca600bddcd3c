import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

export type RecipientType = 'email' | 'player_id' | 'account_id' | 'uid';

export interface RecipientRow {
  readonly id: number;
  readonly label: string;
  readonly type: RecipientType;
  readonly value: string;
  readonly created_at: Date;
}

export interface RecipientValues {
  readonly label: string;
  readonly type: RecipientType;
  readonly value: string;
}

const COLUMNS = 'id, label, type, value, created_at';

const list = statement(
  'identity_list_recipients',
  `SELECT ${COLUMNS} FROM saved_recipients WHERE user_id = $1 ORDER BY label, id`,
);
const insert = statement(
  'identity_insert_recipient',
  `INSERT INTO saved_recipients (user_id, label, type, value)
   SELECT $1, $2, $3, $4 WHERE (SELECT count(*) FROM saved_recipients WHERE user_id = $1) < $5
   RETURNING ${COLUMNS}`,
);
const update = statement(
  'identity_update_recipient',
  `UPDATE saved_recipients SET label = $3, type = $4, value = $5 WHERE id = $2 AND user_id = $1 RETURNING ${COLUMNS}`,
);
const remove = statement(
  'identity_delete_recipient',
  'DELETE FROM saved_recipients WHERE id = $2 AND user_id = $1',
);

export async function listRecipients(reader: Reader, userId: number): Promise<RecipientRow[]> {
  return (await reader.query<RecipientRow>(list, [userId])).rows;
}

/** Undefined when there are `most` already. @throws a violation of `saved_recipients__once`. */
export async function insertRecipient(
  tx: Tx,
  recipient: RecipientValues & { userId: number; most: number },
): Promise<RecipientRow | undefined> {
  const { userId, label, type, value, most } = recipient;
  return (await tx.query<RecipientRow>(insert, [userId, label, type, value, most])).rows[0];
}

/** Undefined when it is not this user's. @throws a violation of `saved_recipients__once`. */
export async function updateRecipient(
  tx: Tx,
  recipient: RecipientValues & { userId: number; id: number },
): Promise<RecipientRow | undefined> {
  const { userId, id, label, type, value } = recipient;
  return (await tx.query<RecipientRow>(update, [userId, id, label, type, value])).rows[0];
}

export async function deleteRecipient(tx: Tx, recipient: { userId: number; id: number }): Promise<boolean> {
  return (await tx.query(remove, [recipient.userId, recipient.id])).count === 1;
}

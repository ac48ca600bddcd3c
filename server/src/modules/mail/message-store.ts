import type { Reader, Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';

export type MessageKind = 'order_codes' | 'order_codes_again' | 'redemption_code';

export interface MessageRow {
  readonly id: number;
  readonly kind: MessageKind;
  readonly order_id: number | null;
  readonly redemption_code_id: number | null;
  readonly recipient: string;
  readonly message_id: string;
  readonly content_digest: Buffer;
  readonly state: 'QUEUED' | 'SENDING' | 'SENT' | 'UNKNOWN' | 'REJECTED';
  readonly attempts: number;
  readonly claimed_until: Date | null;
  readonly transmitting: boolean;
  readonly not_before: Date;
}

const insert = statement(
  'mail_insert',
  `INSERT INTO mail_messages (kind, order_id, recipient, message_id, content_digest) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT DO NOTHING RETURNING *`,
);

// The message and the job that sends it, in one round trip. Of its own moment within the transaction: whoever reads the
// order's history finds it behind what it followed from.
const insertWithJob = statement(
  'mail_insert_with_job',
  `WITH letter AS (
     INSERT INTO mail_messages (kind, order_id, recipient, message_id, content_digest, created_at)
     VALUES ($1, $2, $3, $4, $5, clock_timestamp())
     ON CONFLICT DO NOTHING RETURNING id
   )
   SELECT (graphile_worker.add_job($6, payload := json_build_object('messageId', id), max_attempts := 25,
                                   job_key := 'mail:' || id)).id FROM letter`,
);

const find = statement('mail_find', 'SELECT * FROM mail_messages WHERE id = $1');

const claim = statement(
  'mail_claim',
  `UPDATE mail_messages
   SET state = 'SENDING', claim_token = $2, claimed_until = now() + make_interval(secs => $3), transmitting = false,
       attempts = attempts + 1
   WHERE id = $1 AND (state IN ('QUEUED', 'UNKNOWN') AND not_before <= now()
                      OR $4 AND state IN ('QUEUED', 'UNKNOWN', 'REJECTED'))
   RETURNING *`,
);

const listOfOrder = statement(
  'mail_list_of_order',
  'SELECT * FROM mail_messages WHERE order_id = $1 ORDER BY id',
);

const markTransmitting = statement(
  'mail_mark_transmitting',
  `UPDATE mail_messages SET transmitting = true
   WHERE id = $1 AND claim_token = $2 AND state = 'SENDING' AND claimed_until > now() + interval '5 seconds'`,
);

// A claim whose holder died: without the mark nothing was sent; with it nobody knows, and the repeat waits.
// Before the mark a claim may be taken over after three seconds even from a living holder: the mark wants the holder's
// own token, so of two holders one sends.
const giveBackDead = statement(
  'mail_give_back_dead',
  `UPDATE mail_messages
   SET state = CASE WHEN transmitting THEN 'UNKNOWN' ELSE 'QUEUED' END, claim_token = NULL, claimed_until = NULL,
       not_before = CASE WHEN transmitting THEN now() + make_interval(secs => $2) ELSE now() END
   WHERE id = $1 AND state = 'SENDING'
     AND (claimed_until <= now() OR (NOT transmitting AND updated_at < now() - interval '3 seconds'))
   RETURNING *`,
);

// Also when the claim ran out while the mail server took its time: an accepted letter is not repeated.
const setSent = statement(
  'mail_set_sent',
  `UPDATE mail_messages
   SET state = 'SENT', accepted_at = $3, smtp_reply = $4, claim_token = NULL, claimed_until = NULL
   WHERE id = $1 AND (claim_token = $2 AND state = 'SENDING' OR state = 'UNKNOWN') RETURNING *`,
);

// Not one that is under way: its claim ends it. Of the rest, the worker sends none that is REJECTED.
const supersede = statement(
  'mail_supersede',
  `UPDATE mail_messages
   SET state = 'REJECTED', smtp_reply = 'not sent: a later letter took its place'
   WHERE order_id = $1 AND id <> $2 AND state IN ('QUEUED', 'UNKNOWN')`,
);

// A letter that a later one took the place of while it was under way is not sent again.
const setUnsent = statement(
  'mail_set_unsent',
  `UPDATE mail_messages
   SET state = CASE WHEN EXISTS (SELECT FROM mail_messages AS later
                                 WHERE later.order_id = mail_messages.order_id AND later.id > mail_messages.id)
                    THEN 'REJECTED' ELSE $3 END,
       smtp_reply = $4, claim_token = NULL, claimed_until = NULL,
       not_before = now() + make_interval(secs => $5)
   WHERE id = $1 AND claim_token = $2 AND state = 'SENDING' RETURNING *`,
);

export interface NewMessage {
  readonly kind: MessageKind;
  readonly orderId: number;
  readonly recipient: string;
  readonly messageId: string;
  readonly contentDigest: Buffer;
}

const valuesOf = ({ kind, orderId, recipient, messageId, contentDigest }: NewMessage): unknown[] => [
  kind,
  orderId,
  recipient,
  messageId,
  contentDigest,
];

/** No row when an equal message exists already: the order has one consolidated e-mail. */
export async function insertMessage(tx: Tx, message: NewMessage): Promise<MessageRow | undefined> {
  return (await tx.query<MessageRow>(insert, valuesOf(message))).rows[0];
}

/** The same with the job that takes it to the mail server. Neither is added when an equal message exists already. */
export async function insertMessageWithJob(tx: Tx, message: NewMessage, jobName: string): Promise<void> {
  await tx.query(insertWithJob, [...valuesOf(message), jobName]);
}

export async function findMessage(reader: Reader, id: number): Promise<MessageRow | undefined> {
  return (await reader.query<MessageRow>(find, [id])).rows[0];
}

/** Every letter about an order, oldest first. */
export async function listMessagesOfOrder(reader: Reader, orderId: number): Promise<MessageRow[]> {
  return (await reader.query<MessageRow>(listOfOrder, [orderId])).rows;
}

/** @param message.isUrgent an operator asks: the pause after a failure is skipped and a refused letter is tried again. */
export async function claimMessage(
  tx: Tx,
  message: { id: number; token: string; leaseSeconds: number; isUrgent?: boolean },
): Promise<MessageRow | undefined> {
  const { id, token, leaseSeconds, isUrgent = false } = message;
  return (await tx.query<MessageRow>(claim, [id, token, leaseSeconds, isUrgent])).rows[0];
}

/** @returns false when the claim was lost: the text must not be sent. */
export async function markMessageTransmitting(
  tx: Tx,
  message: { id: number; token: string },
): Promise<boolean> {
  return (await tx.query(markTransmitting, [message.id, message.token])).count === 1;
}

export async function giveBackDeadClaim(
  tx: Tx,
  id: number,
  waitSeconds: number,
): Promise<MessageRow | undefined> {
  return (await tx.query<MessageRow>(giveBackDead, [id, waitSeconds])).rows[0];
}

export async function markMessageSent(
  tx: Tx,
  sent: { id: number; token: string; at: Date; reply: string },
): Promise<MessageRow | undefined> {
  return (await tx.query<MessageRow>(setSent, [sent.id, sent.token, sent.at, sent.reply])).rows[0];
}

/** One letter takes the place of every other of its order that has not got through: those are not sent any more. */
export async function supersedeMessages(tx: Tx, by: { orderId: number; messageId: number }): Promise<void> {
  await tx.query(supersede, [by.orderId, by.messageId]);
}

export async function markMessageUnsent(
  tx: Tx,
  unsent: {
    id: number;
    token: string;
    state: 'QUEUED' | 'UNKNOWN' | 'REJECTED';
    reply: string;
    waitSeconds: number;
  },
): Promise<MessageRow | undefined> {
  const { id, token, state, reply, waitSeconds } = unsent;
  return (await tx.query<MessageRow>(setUnsent, [id, token, state, reply, waitSeconds])).rows[0];
}

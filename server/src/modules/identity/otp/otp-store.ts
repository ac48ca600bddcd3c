import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';
import type { OtpPurpose, SendFacts } from './otp-rules.ts';

// One sender at a time decides and writes: a limit that is read and then written by two at once is no limit.
const OTP_LOCK = 726_510;
const lockSends = statement('identity_lock_otp_sends', `SELECT pg_advisory_xact_lock(${OTP_LOCK})`);

const readFacts = statement(
  'identity_read_otp_facts',
  `SELECT
     (SELECT max(created_at) FROM otps WHERE msisdn = $1 AND purpose = $2 AND delivery <> 'failed'
       AND created_at > $5::timestamptz - interval '1 hour') AS last_sent_at,
     number.sends AS number_sends, number.oldest AS oldest_number_send_at,
     address.sends AS address_sends, address.oldest AS oldest_address_send_at,
     range.sends AS range_sends, range.verified AS range_verified,
     (SELECT count(*) FROM otps WHERE created_at > $5::timestamptz - interval '24 hours'
       AND delivery IN ('pending', 'sent')) AS day_sends
   FROM
     (SELECT count(*) AS sends, min(created_at) AS oldest FROM otps
       WHERE msisdn = $1 AND delivery <> 'failed' AND created_at > $5::timestamptz - interval '1 hour') AS number,
     (SELECT count(*) AS sends, min(created_at) AS oldest FROM otps
       WHERE ip = $3 AND created_at > $5::timestamptz - interval '1 hour') AS address,
     (SELECT count(*) AS sends, count(*) FILTER (WHERE verified_at IS NOT NULL OR used_at IS NOT NULL) AS verified
       FROM otps WHERE number_range = $4 AND delivery IN ('pending', 'sent')
       AND created_at > $5::timestamptz - interval '1 hour') AS range`,
);
const insert = statement(
  'identity_insert_otp',
  `INSERT INTO otps (purpose, msisdn, number_range, ip, digest, delivery, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, CASE WHEN $5::bytea IS NULL THEN 'withheld' ELSE 'pending' END, $6, $7)
   RETURNING id`,
);
const setDelivery = statement('identity_set_otp_delivery', 'UPDATE otps SET delivery = $2 WHERE id = $1');

// Counted before it is compared: however many verify at once, the row lock lets five through. Only the newest code
// of a number and purpose counts.
const countTry = statement(
  'identity_count_otp_try',
  `UPDATE otps SET attempts = attempts + 1
   WHERE id = (SELECT max(id) FROM otps WHERE msisdn = $1 AND purpose = $2)
     AND attempts < 5 AND used_at IS NULL AND expires_at > $3
   RETURNING id, digest`,
);
const markVerified = statement(
  'identity_mark_otp_verified',
  `UPDATE otps SET verified_at = $2, token_digest = $3, token_expires_at = $4
   WHERE id = $1 AND verified_at IS NULL AND used_at IS NULL`,
);
const findByToken = statement(
  'identity_find_otp_by_token',
  `SELECT id FROM otps
   WHERE token_digest = $1 AND msisdn = $2 AND purpose = $3 AND used_at IS NULL AND token_expires_at > $4`,
);
const consume = statement(
  'identity_consume_otp',
  'UPDATE otps SET used_at = $2 WHERE id = $1 AND used_at IS NULL',
);
const deleteBefore = statement('identity_delete_otps_before', 'DELETE FROM otps WHERE created_at < $1');

export interface SendTarget {
  readonly purpose: OtpPurpose;
  readonly msisdn: string;
  readonly numberRange: string;
  readonly ip: string;
  readonly now: Date;
}

interface FactsRow {
  last_sent_at: Date | null;
  number_sends: number;
  oldest_number_send_at: Date | null;
  address_sends: number;
  oldest_address_send_at: Date | null;
  range_sends: number;
  range_verified: number;
  day_sends: number;
}

/** Whoever holds it is the only one that decides about a send, until the end of the transaction. */
export async function lockOtpSends(tx: Tx): Promise<void> {
  await tx.query(lockSends);
}

export async function readSendFacts(reader: Reader, target: SendTarget): Promise<SendFacts> {
  const { msisdn, purpose, ip, numberRange, now } = target;
  const row = (await reader.query<FactsRow>(readFacts, [msisdn, purpose, ip, numberRange, now])).rows[0];
  if (!row) throw new Error('Counting what was sent answered no row');
  return {
    lastSentAt: row.last_sent_at?.getTime() ?? null,
    numberSends: row.number_sends,
    oldestNumberSendAt: row.oldest_number_send_at?.getTime() ?? null,
    addressSends: row.address_sends,
    oldestAddressSendAt: row.oldest_address_send_at?.getTime() ?? null,
    rangeSends: row.range_sends,
    rangeVerified: row.range_verified,
    daySends: row.day_sends,
  };
}

export async function insertOtp(
  tx: Tx,
  otp: SendTarget & { digest: Buffer | null; expiresAt: Date },
): Promise<number> {
  const { purpose, msisdn, numberRange, ip, digest, now, expiresAt } = otp;
  const values = [purpose, msisdn, numberRange, ip, digest, now, expiresAt];
  const row = (await tx.query<{ id: number }>(insert, values)).rows[0];
  if (!row) throw new Error('Inserting a one-time password answered no row');
  return row.id;
}

export async function updateDelivery(
  reader: Reader,
  otpId: number,
  delivery: 'sent' | 'failed',
): Promise<void> {
  await reader.query(setDelivery, [otpId, delivery]);
}

export async function countOtpTry(
  reader: Reader,
  target: { msisdn: string; purpose: OtpPurpose; now: Date },
): Promise<{ id: number; digest: Buffer | null } | undefined> {
  const { msisdn, purpose, now } = target;
  return (await reader.query<{ id: number; digest: Buffer | null }>(countTry, [msisdn, purpose, now]))
    .rows[0];
}

export async function markOtpVerified(
  reader: Reader,
  otp: { id: number; now: Date; tokenDigest: Buffer; tokenExpiresAt: Date },
): Promise<boolean> {
  return (
    (await reader.query(markVerified, [otp.id, otp.now, otp.tokenDigest, otp.tokenExpiresAt])).count === 1
  );
}

export async function findOtpByToken(
  reader: Reader,
  target: { tokenDigest: Buffer; msisdn: string; purpose: OtpPurpose; now: Date },
): Promise<number | undefined> {
  const { tokenDigest, msisdn, purpose, now } = target;
  return (await reader.query<{ id: number }>(findByToken, [tokenDigest, msisdn, purpose, now])).rows[0]?.id;
}

/** False when somebody else has used it: of all who race, one wins. */
export async function consumeOtp(tx: Tx, otpId: number, now: Date): Promise<boolean> {
  return (await tx.query(consume, [otpId, now])).count === 1;
}

export async function deleteOtpsBefore(reader: Reader, moment: Date): Promise<number> {
  return (await reader.query(deleteBefore, [moment])).count;
}

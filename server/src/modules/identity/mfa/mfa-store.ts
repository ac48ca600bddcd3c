import { statement } from '../../../platform/db/database.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';

const findSecret = statement(
  'identity_find_totp',
  'SELECT totp_secret, totp_confirmed_at FROM admins WHERE id = $1',
);
const setSecret = statement(
  'identity_set_totp_secret',
  'UPDATE admins SET totp_secret = $2, totp_last_step = 0 WHERE id = $1 AND totp_confirmed_at IS NULL',
);
// A code works once: of two that show the same one, the second finds the step taken.
const takeStep = statement(
  'identity_take_totp_step',
  'UPDATE admins SET totp_last_step = $2 WHERE id = $1 AND totp_last_step < $2',
);
const confirm = statement(
  'identity_confirm_totp',
  `UPDATE admins SET totp_confirmed_at = $2, totp_last_step = $3
   WHERE id = $1 AND totp_confirmed_at IS NULL AND totp_secret IS NOT NULL`,
);
const clear = statement(
  'identity_clear_totp',
  'UPDATE admins SET totp_secret = NULL, totp_confirmed_at = NULL, totp_last_step = 0 WHERE id = $1',
);
const clearCodes = statement(
  'identity_clear_recovery_codes',
  'DELETE FROM recovery_codes WHERE admin_id = $1',
);
const insertCodes = statement(
  'identity_insert_recovery_codes',
  'INSERT INTO recovery_codes (admin_id, digest) SELECT $1, unnest($2::bytea[])',
);
const useCode = statement(
  'identity_use_recovery_code',
  'UPDATE recovery_codes SET used_at = $3 WHERE admin_id = $1 AND digest = $2 AND used_at IS NULL',
);
const insertChallenge = statement(
  'identity_insert_mfa_challenge',
  'INSERT INTO mfa_challenges (digest, admin_id, expires_at) VALUES ($1, $2, $3)',
);
const findChallenge = statement(
  'identity_find_mfa_challenge',
  'SELECT admin_id FROM mfa_challenges WHERE digest = $1 AND used_at IS NULL AND expires_at > $2',
);
const useChallenge = statement(
  'identity_use_mfa_challenge',
  'UPDATE mfa_challenges SET used_at = $2 WHERE digest = $1 AND used_at IS NULL',
);
const deleteOld = statement(
  'identity_delete_mfa_challenges',
  'DELETE FROM mfa_challenges WHERE expires_at < $1',
);

export interface TotpRow {
  /** Sealed. */
  readonly totp_secret: Buffer | null;
  readonly totp_confirmed_at: Date | null;
}

export async function findTotp(reader: Reader, adminId: number): Promise<TotpRow | undefined> {
  return (await reader.query<TotpRow>(findSecret, [adminId])).rows[0];
}

/** False when a second factor is in force already. */
export async function storePendingSecret(tx: Tx, adminId: number, sealed: Buffer): Promise<boolean> {
  return (await tx.query(setSecret, [adminId, sealed])).count === 1;
}

export async function takeTotpStep(reader: Reader, adminId: number, step: number): Promise<boolean> {
  return (await reader.query(takeStep, [adminId, step])).count === 1;
}

export async function confirmTotp(
  tx: Tx,
  totp: { adminId: number; at: Date; step: number },
): Promise<boolean> {
  return (await tx.query(confirm, [totp.adminId, totp.at, totp.step])).count === 1;
}

export async function clearTotp(tx: Tx, adminId: number): Promise<void> {
  await Promise.all([tx.query(clear, [adminId]), tx.query(clearCodes, [adminId])]);
}

export async function replaceRecoveryCodes(
  tx: Tx,
  adminId: number,
  digests: readonly Buffer[],
): Promise<void> {
  await Promise.all([tx.query(clearCodes, [adminId]), tx.query(insertCodes, [adminId, digests])]);
}

export async function useRecoveryCode(
  reader: Reader,
  code: { adminId: number; digest: Buffer; at: Date },
): Promise<boolean> {
  return (await reader.query(useCode, [code.adminId, code.digest, code.at])).count === 1;
}

export async function insertMfaChallenge(
  reader: Reader,
  challenge: { digest: Buffer; adminId: number; expiresAt: Date },
): Promise<void> {
  await reader.query(insertChallenge, [challenge.digest, challenge.adminId, challenge.expiresAt]);
}

export async function findMfaChallenge(
  reader: Reader,
  digest: Buffer,
  now: Date,
): Promise<number | undefined> {
  return (await reader.query<{ admin_id: number }>(findChallenge, [digest, now])).rows[0]?.admin_id;
}

export async function useMfaChallenge(tx: Tx, digest: Buffer, now: Date): Promise<boolean> {
  return (await tx.query(useChallenge, [digest, now])).count === 1;
}

export async function deleteMfaChallengesOver(reader: Reader, now: Date): Promise<number> {
  return (await reader.query(deleteOld, [now])).count;
}

import { statement } from '../../../platform/db/database.ts';
import type { Tx } from '../../../platform/db/database.ts';

// An address that changes is not verified any more; one that stays, stays as it was.
const updateProfile = statement(
  'identity_update_profile',
  `UPDATE users SET name = $2, language = $4, email = $3,
     email_verified_at = CASE WHEN email IS NOT DISTINCT FROM $3 THEN email_verified_at END
   WHERE id = $1 AND status <> 'closed'`,
);
const updatePreferences = statement(
  'identity_update_preferences',
  `UPDATE users SET language = $2, notify_email = $3, notify_sms = $4, marketing = $5
   WHERE id = $1 AND status <> 'closed'`,
);
const updateMsisdn = statement(
  'identity_update_msisdn',
  "UPDATE users SET msisdn = $2 WHERE id = $1 AND status = 'active'",
);
const verifyEmail = statement(
  'identity_verify_email',
  'UPDATE users SET email_verified_at = $3 WHERE id = $1 AND email = $2',
);
const lock = statement('identity_lock_user', 'SELECT id FROM users WHERE id = $1 FOR UPDATE');
// The row stays: orders and payments point to it. What says who it was goes.
const anonymise = statement(
  'identity_anonymise_user',
  `UPDATE users SET status = 'closed', msisdn = NULL, email = NULL, email_verified_at = NULL, name = 'Closed account',
     password_hash = '', status_reason = $2, marketing = false
   WHERE id = $1 AND status <> 'closed'`,
);
const deleteRecipients = statement(
  'identity_delete_recipients_of_user',
  'DELETE FROM saved_recipients WHERE user_id = $1',
);
const deleteLinks = statement('identity_delete_links_of_user', 'DELETE FROM email_links WHERE user_id = $1');
const forgetVisits = statement(
  'identity_forget_visits_of_user',
  'UPDATE sessions SET ip = NULL, user_agent = NULL WHERE user_id = $1',
);

export interface ProfileValues {
  readonly name: string;
  readonly email: string | null;
  readonly language: 'en' | 'bn';
}

export interface PreferenceValues {
  readonly language: 'en' | 'bn';
  readonly notifyEmail: boolean;
  readonly notifySms: boolean;
  readonly marketing: boolean;
}

export async function lockUser(tx: Tx, userId: number): Promise<void> {
  await tx.query(lock, [userId]);
}

export async function updateUserProfile(tx: Tx, userId: number, values: ProfileValues): Promise<void> {
  await tx.query(updateProfile, [userId, values.name, values.email, values.language]);
}

export async function updateUserPreferences(tx: Tx, userId: number, values: PreferenceValues): Promise<void> {
  const { language, notifyEmail, notifySms, marketing } = values;
  await tx.query(updatePreferences, [userId, language, notifyEmail, notifySms, marketing]);
}

/** @throws a violation of `users__msisdn` when the number has an account. */
export async function updateUserMsisdn(tx: Tx, userId: number, msisdn: string): Promise<void> {
  await tx.query(updateMsisdn, [userId, msisdn]);
}

/** False when the address has changed since. */
export async function markEmailVerified(
  tx: Tx,
  verified: { userId: number; email: string; at: Date },
): Promise<boolean> {
  return (await tx.query(verifyEmail, [verified.userId, verified.email, verified.at])).count === 1;
}

/** False when the account is closed already. */
export async function anonymiseUser(tx: Tx, userId: number, reason: string): Promise<boolean> {
  const [{ count }] = await Promise.all([
    tx.query(anonymise, [userId, reason]),
    tx.query(deleteRecipients, [userId]),
    tx.query(deleteLinks, [userId]),
    tx.query(forgetVisits, [userId]),
  ]);
  return count === 1;
}

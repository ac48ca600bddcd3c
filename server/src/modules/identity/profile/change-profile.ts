import { inTransaction } from '../../../platform/db/database.ts';
import type { Reader } from '../../../platform/db/database.ts';
import { AppError, fieldError } from '../../../platform/errors.ts';
import type { Logger } from '../../../platform/log.ts';
import { findUser } from '../accounts/user-store.ts';
import type { UserRow } from '../accounts/user-store.ts';
import { tokenRefused } from '../errors.ts';
import { createLink, linkDigest, linkLetter } from '../mail-links/mail-links.ts';
import type { MailLinkDeps } from '../mail-links/mail-links.ts';
import { useLink } from '../mail-links/mail-link-store.ts';
import { lockUser, markEmailVerified, updateUserProfile } from './profile-store.ts';

export interface ProfileDeps extends MailLinkDeps {
  readonly log: Logger;
}

export interface ProfileChange {
  readonly userId: number;
  readonly name?: string;
  readonly email?: string | null;
  readonly language?: 'en' | 'bn';
}

const LINK_LIFE_SECONDS = 24 * 60 * 60;

/** A new e-mail address holds at once, unverified, and gets a letter to verify it. */
export async function changeProfile(deps: ProfileDeps, change: ProfileChange): Promise<UserRow> {
  const { userId } = change;
  const { before, after } = await inTransaction(deps.db, async (tx) => {
    await lockUser(tx, userId);
    const found = await getUser(tx, userId);
    await updateUserProfile(tx, userId, {
      name: change.name ?? found.name,
      email: change.email === undefined ? found.email : change.email,
      language: change.language ?? found.language,
    });
    return { before: found, after: await getUser(tx, userId) };
  });
  if (after.email !== null && after.email !== before.email) {
    // The profile is changed whether or not the letter gets out: it can be asked for again.
    await sendVerification(deps, after).catch((error: unknown) => {
      deps.log.warn({ err: error, userId }, 'a letter to verify an address could not be sent');
    });
  }
  return after;
}

/** @throws AppError BAD_REQUEST without an address, CONFLICT when it is verified, TOO_MANY_REQUESTS. */
export async function requestVerification(deps: ProfileDeps, userId: number): Promise<void> {
  const user = await getUser(deps.db, userId);
  if (user.email === null)
    throw new AppError('BAD_REQUEST', 'There is no e-mail address to verify: save one first');
  if (user.email_verified_at) throw new AppError('CONFLICT', 'The e-mail address is verified already');
  await sendVerification(deps, user).catch((error: unknown) => {
    if (error instanceof AppError) throw error;
    throw new AppError('SERVICE_UNAVAILABLE', 'The letter could not be sent; try again in a moment', {
      retryAfterSeconds: 10,
      cause: error,
    });
  });
}

async function sendVerification(deps: ProfileDeps, user: UserRow): Promise<void> {
  const email = user.email ?? '';
  const token = await createLink(deps, {
    purpose: 'verify_email',
    userId: user.id,
    adminId: null,
    email,
    lifeSeconds: LINK_LIFE_SECONDS,
  });
  await deps.sendMail(
    linkLetter({
      to: email,
      subject: 'Confirm your e-mail address',
      words: 'Confirm within 24 hours that this address is yours:',
      url: `${deps.publicUrl}/account/verify-email?token=${token}`,
    }),
  );
}

/** @throws AppError VALIDATION_ERROR (field `token`), also when the address has changed since the letter. */
export async function verifyEmail(deps: ProfileDeps, token: string): Promise<void> {
  const at = deps.clock.now();
  await inTransaction(deps.db, async (tx) => {
    const link = await useLink(tx, { digest: linkDigest(token), purpose: 'verify_email', now: at });
    const verified =
      link?.user_id && (await markEmailVerified(tx, { userId: link.user_id, email: link.email, at }));
    if (!verified) throw fieldError('token', 'token is wrong, used or has expired: ask for a new letter');
  });
}

async function getUser(reader: Reader, userId: number): Promise<UserRow> {
  const user = await findUser(reader, userId);
  if (!user || user.status === 'closed') throw tokenRefused();
  return user;
}

import { setTimeout as wait } from 'node:timers/promises';

import { inTransaction } from '../../../platform/db/database.ts';
import { fieldError } from '../../../platform/errors.ts';
import type { Logger } from '../../../platform/log.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { createLink, linkDigest, linkLetter } from '../mail-links/mail-links.ts';
import type { MailLinkDeps } from '../mail-links/mail-links.ts';
import { useLink } from '../mail-links/mail-link-store.ts';
import type { PasswordHasher } from '../passwords/password-hasher.ts';
import { updatePassword } from '../passwords/password-store.ts';
import { endSessions } from '../tokens/session-store.ts';
import type { SignOutDeps } from '../tokens/sign-out.ts';
import type { Visitor } from '../visitor.ts';
import { findAdminByEmail } from './admin-store.ts';

export interface ResetAdminPasswordDeps extends MailLinkDeps, SignOutDeps {
  readonly hasher: PasswordHasher;
  readonly log: Logger;
}

const ANSWER_AFTER_MS = 300;
const LINK_LIFE_SECONDS = 30 * 60;

/** Mails a link when there is such an admin; the answer and its time are the same when there is none. */
export async function forgotAdminPassword(deps: ResetAdminPasswordDeps, email: string): Promise<void> {
  const answerTime = wait(ANSWER_AFTER_MS);
  mailLink(deps, email.trim().toLowerCase()).catch((error: unknown) => {
    deps.log.warn({ err: error }, 'a link for a new password could not be mailed');
  });
  await answerTime;
}

async function mailLink(deps: ResetAdminPasswordDeps, email: string): Promise<void> {
  const admin = await findAdminByEmail(deps.db, email);
  if (admin?.status !== 'active') return;
  const token = await createLink(deps, {
    purpose: 'reset_admin_password',
    userId: null,
    adminId: admin.id,
    email,
    lifeSeconds: LINK_LIFE_SECONDS,
  });
  await deps.sendMail(
    linkLetter({
      to: email,
      subject: 'A new password for the operations console',
      words: 'Set a new password within 30 minutes:',
      url: `${deps.publicUrl}/console/reset-password?token=${token}`,
    }),
  );
}

/**
 * Ends every session of the admin. A second factor stays in force.
 * @throws AppError VALIDATION_ERROR (field `token`), SERVICE_UNAVAILABLE.
 */
export async function resetAdminPassword(
  deps: ResetAdminPasswordDeps,
  input: { token: string; newPassword: string; visitor: Visitor },
): Promise<void> {
  const passwordHash = await deps.hasher.hash(input.newPassword);
  const now = deps.clock.now();
  const { ip, userAgent } = input.visitor;
  const ended = await inTransaction(deps.db, async (tx) => {
    const link = await useLink(tx, { digest: linkDigest(input.token), purpose: 'reset_admin_password', now });
    const adminId = link?.admin_id;
    if (!adminId) throw fieldError('token', 'token is wrong, used or has expired: ask for a new e-mail');
    await updatePassword(tx, { adminId }, passwordHash);
    const ids = await endSessions(tx, { adminId, reason: 'password_reset', now });
    const actor = { kind: 'admin', adminId, sessionId: null, ip, userAgent, requestId: null } as const;
    await recordAudit(tx, {
      actor,
      action: 'admin.password_reset',
      resource: { type: 'admin', id: adminId },
    });
    return ids;
  });
  deps.endedSessions.note(ended);
}

import { inTransaction } from '../../../platform/db/database.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Actor } from '../audit/record-audit.ts';
import { userNotFound } from '../errors.ts';
import { eraseUser } from '../profile/close-account.ts';
import type { CloseAccountDeps } from '../profile/close-account.ts';
import { lockUser, updateUserProfile } from '../profile/profile-store.ts';
import { endSessions } from '../tokens/session-store.ts';
import { findPerson, updatePersonStatus } from './people-store.ts';
import type { PersonRow } from './people-store.ts';

export interface PersonChange {
  readonly id: number;
  readonly actor: Actor;
}

/** @throws AppError NOT_FOUND, CONFLICT for a closed account. */
export function correctPerson(
  deps: CloseAccountDeps,
  change: PersonChange & { name?: string; email?: string | null },
): Promise<PersonRow> {
  return changePerson(deps, change, async (tx, before) => {
    if (before.status === 'closed') throw new AppError('CONFLICT', 'The account is closed');
    const email = change.email === undefined ? before.email : change.email;
    await updateUserProfile(tx, change.id, {
      name: change.name ?? before.name,
      email,
      language: before.language,
    });
    return { action: 'user.corrected', ended: [] };
  });
}

/** Signs the customer out everywhere, at once here and within two seconds elsewhere. @throws NOT_FOUND, CONFLICT. */
export function blockPerson(
  deps: CloseAccountDeps,
  change: PersonChange & { reason: string },
): Promise<PersonRow> {
  return changePerson(deps, change, async (tx) => {
    await moveStatus(tx, { id: change.id, from: 'active', to: 'blocked', reason: change.reason });
    const now = deps.clock.now();
    const ended = await endSessions(tx, { userId: change.id, reason: 'user_blocked', now });
    return { action: 'user.blocked', ended };
  });
}

export function unblockPerson(deps: CloseAccountDeps, change: PersonChange): Promise<PersonRow> {
  return changePerson(deps, change, async (tx) => {
    await moveStatus(tx, { id: change.id, from: 'blocked', to: 'active', reason: null });
    return { action: 'user.unblocked', ended: [] };
  });
}

export function signPersonOut(deps: CloseAccountDeps, change: PersonChange): Promise<PersonRow> {
  return changePerson(deps, change, async (tx) => {
    const now = deps.clock.now();
    const ended = await endSessions(tx, { userId: change.id, reason: 'revoked_by_admin', now });
    return { action: 'user.signed_out', ended };
  });
}

/** As if the customer had closed the account. @throws NOT_FOUND, CONFLICT while an order is under way or when closed. */
export function anonymisePerson(
  deps: CloseAccountDeps,
  change: PersonChange & { reason: string },
): Promise<PersonRow> {
  return changePerson(deps, change, async (tx) => ({
    action: 'user.anonymised',
    ended: await eraseUser(deps, tx, { userId: change.id, reason: change.reason }),
  }));
}

async function changePerson(
  deps: CloseAccountDeps,
  { id, actor }: PersonChange,
  apply: (tx: Tx, before: PersonRow) => Promise<{ action: string; ended: string[] }>,
): Promise<PersonRow> {
  const { person, ended } = await inTransaction(deps.db, async (tx) => {
    await lockUser(tx, id);
    const before = await findPerson(tx, id);
    if (!before) throw userNotFound();
    const done = await apply(tx, before);
    const after = await findPerson(tx, id);
    if (!after) throw userNotFound();
    // What was erased must not live on in the log.
    const audited = done.action === 'user.anonymised' ? auditedStatus : auditedPerson;
    const resource = { type: 'user', id };
    await recordAudit(tx, {
      actor,
      action: done.action,
      resource,
      before: audited(before),
      after: audited(after),
    });
    return { person: after, ended: done.ended };
  });
  deps.endedSessions.note(ended);
  return person;
}

async function moveStatus(tx: Tx, change: Parameters<typeof updatePersonStatus>[1]): Promise<void> {
  if (!(await updatePersonStatus(tx, change))) {
    throw new AppError('CONFLICT', `Only an account that is ${change.from} can become ${change.to}`);
  }
}

const auditedStatus = ({ status, status_reason }: PersonRow) => ({ status, status_reason });
const auditedPerson = ({ name, email, status, status_reason }: PersonRow) => ({
  name,
  email,
  status,
  status_reason,
});

import type { AuditActor, RecordAudit } from '../../../platform/audit.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { AppError, fieldError } from '../../../platform/errors.ts';
import type { DeliveredCode } from '../partners/partner.ts';
import { refusedByOperator } from '../purchases/purchase-rules.ts';
import type { Judgement } from '../purchases/purchase-rules.ts';
import { findPurchase } from '../purchases/purchase-store.ts';
import type { PurchaseRow } from '../purchases/purchase-store.ts';
import { runPurchase } from '../purchases/run-purchase.ts';
import type { RunPurchaseDeps } from '../purchases/run-purchase.ts';
import { applyJudgement, lockPurchaseFacts } from '../purchases/settle-purchase.ts';
import type { ResolveBody } from './transaction-wire.ts';

export interface SettleByHandDeps extends RunPurchaseDeps {
  readonly recordAudit: RecordAudit;
}

export interface ByHand {
  readonly id: number;
  readonly actor: AuditActor;
}

/**
 * Asks the partner now what became of a purchase, and applies the answer.
 *
 * @throws NOT_FOUND; CONFLICT while its call is under way or not made yet; BAD_REQUEST when the partner cannot be asked.
 */
export async function requeryPurchase(deps: SettleByHandDeps, { id, actor }: ByHand): Promise<void> {
  const before = await findPurchase(deps.db, id);
  if (!before) throw transactionNotFound();
  if (before.status === 'INTENT' || before.status === 'SENT')
    throw new AppError(
      'CONFLICT',
      `The purchase is ${before.status}: its call is under way or about to be made`,
    );
  if (before.partner_id === null) throw cannotBeAsked();
  const { build, line } = await deps.partners.open(before.partner_id);
  const { query, isRepeatable } = build(line);
  if (!query && !isRepeatable) throw cannotBeAsked();
  const after = await runPurchase(deps, id, { isUrgent: true });
  await inTransaction(deps.db, (tx) =>
    deps.recordAudit(tx, {
      ...actor,
      action: 'partner-transactions:requery',
      resource: `partner-transactions:${id}`,
      before: { status: before.status },
      after: { status: (after ?? before).status },
    }),
  );
}

/**
 * An operator settles what the partner's answers leave unclear, with evidence: nothing was bought, or it was, with
 * this code. What follows is what would have followed the partner's own word.
 *
 * @throws NOT_FOUND; CONFLICT for a purchase that is clear, or a code that was given before; VALIDATION_ERROR.
 */
export async function resolvePurchase(
  deps: SettleByHandDeps,
  { id, actor, body }: ByHand & { readonly body: ResolveBody },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    if (!(await findPurchase(tx, id))) throw transactionNotFound();
    const facts = await lockPurchaseFacts(tx, id);
    const { status } = facts.purchase;
    if (status !== 'UNKNOWN' && status !== 'DISPUTED')
      throw new AppError('CONFLICT', `The purchase is ${status}: only an unclear one can be settled by hand`);
    const told = { resolvedBy: actor.adminId, resolutionNotes: body.evidence };
    const judgement = judgementOf(body, facts.purchase);
    await applyJudgement(tx, deps, { ...facts, judgement, told, leavesOrderAlone: false });
    const after = await findPurchase(tx, id);
    if (after?.status === 'UNKNOWN' || after?.status === 'DISPUTED')
      throw new AppError('CONFLICT', 'This code was given before: it cannot be what the partner delivered');
    await deps.recordAudit(tx, {
      ...actor,
      action: 'partner-transactions:resolve',
      resource: `partner-transactions:${id}`,
      before: { status },
      after: { status: after?.status, outcome: body.outcome, evidence: body.evidence },
    });
  });
}

function judgementOf(body: ResolveBody, { mode }: PurchaseRow): Exclude<Judgement, { kind: 'repeat' }> {
  switch (body.outcome) {
    case 'not_executed':
      return refusedByOperator(body.evidence);
    case 'credited':
      if (mode === 'CODE')
        throw fieldError('outcome', 'this item is delivered as a code: say delivered, with the code');
      return { kind: 'done', codes: [] };
    case 'delivered':
      if (mode === 'TOPUP') throw fieldError('outcome', 'this item is a top-up: say credited');
      return { kind: 'done', codes: [codeIn(body)] };
  }
}

function codeIn({ code = '', pin, serial_number, redemption_url, expires_at }: ResolveBody): DeliveredCode {
  if (code.trim() === '') throw fieldError('code', 'code is required: what did the partner deliver?');
  return {
    code: code.trim(),
    pin: pin ?? null,
    serialNumber: serial_number ?? null,
    redemptionUrl: redemption_url ?? null,
    expiresAt: expires_at === undefined ? null : new Date(expires_at),
  };
}

const transactionNotFound = (): AppError => new AppError('NOT_FOUND', 'There is no such partner transaction');
const cannotBeAsked = (): AppError =>
  new AppError(
    'BAD_REQUEST',
    'This partner cannot be asked about a purchase: settle it by hand, with evidence',
  );

import { parseAmount } from '../../amount.ts';
import { dhakaDateTime } from '../../dhaka-time.ts';
import type { World } from '../../world.ts';
import { newReference } from './sessions.ts';
import type { Refund, Sessions } from './sessions.ts';

type Answer = Record<string, unknown>;
type Fields = Readonly<Record<string, string>>;

/** Full or partial, until the sum of a payment's refunds reaches what was paid. */
export function initiateRefund(world: World, sessions: Sessions, fields: Fields): Answer {
  const bankTranId = fields['bank_tran_id'] ?? '';
  const refundTransId = fields['refund_trans_id'] ?? '';
  const session = sessions.withBankTranId(bankTranId);
  const about = { APIConnect: 'DONE', bank_tran_id: bankTranId, trans_id: session?.tranId ?? '' };
  const refuse = (errorReason: string, refundRefId = ''): Answer => ({
    ...about,
    refund_ref_id: refundRefId,
    status: 'failed',
    errorReason,
  });

  if (!session || session.status !== 'VALID') return refuse('Transaction not found or not refundable');
  const amountMinor = parseAmount(fields['refund_amount']);
  if (!amountMinor) return refuse('Invalid refund amount');
  if (fields['refund_remarks'] === undefined) return refuse('Refund remarks are required');
  const earlier = sessions.refundsOf(bankTranId);
  const same = earlier.find((refund) => refundTransId !== '' && refund.refundTransId === refundTransId);
  if (same) return refuse('A refund with this refund_trans_id exists already', same.refundRefId);
  const refundedMinor = earlier.reduce((sum, refund) => sum + refund.amountMinor, 0);
  if (refundedMinor + amountMinor > session.amountMinor)
    return refuse('Refund amount exceeds the refundable amount');
  if (world.faults.take('aggregator', 'declined', ['refund']))
    return refuse('Refund was declined by the bank');

  const processing = world.faults.take('aggregator', 'processing', ['refund']);
  const now = dhakaDateTime();
  const refund: Refund = {
    refundRefId: newReference(),
    refundTransId,
    bankTranId,
    tranId: session.tranId,
    amountMinor,
    status: processing ? 'processing' : 'refunded',
    initiatedOn: now,
    refundedOn: processing ? '' : now,
  };
  sessions.saveRefund(refund);
  return {
    ...about,
    refund_ref_id: refund.refundRefId,
    status: processing ? 'processing' : 'success',
    errorReason: '',
  };
}

/** A refund that was processing has gone through by the time somebody asks. */
export function refundStatus(world: World, sessions: Sessions, refundRefId: string): Answer {
  const found = sessions.findRefund(refundRefId);
  if (!found)
    return {
      APIConnect: 'DONE',
      refund_ref_id: refundRefId,
      status: 'failed',
      errorReason: 'Refund not found',
    };
  const processing = world.faults.take('aggregator', 'processing', ['query']);
  const refund: Refund =
    found.status === 'processing' && !processing
      ? { ...found, status: 'refunded', refundedOn: dhakaDateTime() }
      : found;
  if (refund !== found) sessions.saveRefund(refund);
  return {
    APIConnect: 'DONE',
    bank_tran_id: refund.bankTranId,
    tran_id: refund.tranId,
    trans_id: refund.tranId,
    refund_ref_id: refund.refundRefId,
    initiated_on: refund.initiatedOn,
    refunded_on: refund.refundedOn,
    status: processing ? 'processing' : refund.status,
    errorReason: '',
  };
}

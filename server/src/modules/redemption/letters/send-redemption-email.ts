import { inOneStatement, inTransaction } from '../../../platform/db/database.ts';
import { outlastOutage } from '../../../platform/db/outage.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Random } from '../../../platform/random.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { secondsAfter } from '../../../platform/time.ts';
import type { Clock } from '../../../platform/time.ts';
import {
  claimMessage,
  findMessage,
  giveBackDeadClaim,
  markMessageSent,
  markMessageTransmitting,
  markMessageUnsent,
} from '../../mail/index.ts';
import type { Delivery, Letter, Mailer, MessageRow } from '../../mail/index.ts';
import { redemptionContexts } from '../redemption-secrets.ts';
import { sendRedemptionEmailJob } from './jobs.ts';
import { findRedeemedCode } from './letter-store.ts';
import { writeRedemptionEmail } from './redemption-email.ts';

export interface SendRedemptionEmailDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly box: SecretBox;
  readonly mailer: Mailer;
}

/** Longer than the slowest delivery the mailer allows. */
const CLAIM_SECONDS = 30;
/** Before a letter is repeated whose acceptance nobody knows. */
const UNKNOWN_WAIT_SECONDS = 300;
const LONGEST_WAIT_SECONDS = 600;
/** About five days of trying; the page showed the code already. */
const MOST_ATTEMPTS = 720;
/** While another process holds the letter: how soon to look again. */
const LOOK_AGAIN_SECONDS = 3;

/**
 * Sends one queued letter by the protocol of every e-mail here: claim and commit before connecting, mark before the
 * text goes out, settle afterwards. Nothing it does or fails to do touches the redemption.
 */
export async function sendRedemptionEmail(deps: SendRedemptionEmailDeps, messageId: number): Promise<void> {
  const token = deps.random.uuid();
  await inOneStatement(deps.db, (tx) => giveBackDeadClaim(tx, messageId, UNKNOWN_WAIT_SECONDS));
  const claim = { id: messageId, token, leaseSeconds: CLAIM_SECONDS };
  const message = await inOneStatement(deps.db, (tx) => claimMessage(tx, claim));
  if (!message) return comeBackLater(deps, messageId);
  const letter = await writeLetter(deps, message);
  const delivery = await deps.mailer.deliver(letter, () =>
    inOneStatement(deps.db, (tx) => markMessageTransmitting(tx, { id: messageId, token })),
  );
  await outlastOutage(() => inTransaction(deps.db, (tx) => settle(tx, deps, { message, token, delivery })));
}

/** Somebody else holds it, or it is not due: the job returns when that may have changed. */
async function comeBackLater(deps: SendRedemptionEmailDeps, messageId: number): Promise<void> {
  const message = await findMessage(deps.db, messageId);
  if (!message || message.state === 'SENT' || message.state === 'REJECTED') return;
  const runAt =
    message.state === 'SENDING' ? secondsAfter(deps.clock.now(), LOOK_AGAIN_SECONDS) : message.not_before;
  await inOneStatement(deps.db, (tx) => sendLater(tx, messageId, runAt));
}

const sendLater = (tx: Tx, messageId: number, runAt: Date): Promise<void> =>
  enqueue(tx, sendRedemptionEmailJob.of({ messageId }), { runAt, key: `mail:${messageId}` });

async function writeLetter(deps: SendRedemptionEmailDeps, message: MessageRow): Promise<Letter> {
  const code = await findRedeemedCode(deps.db, message.redemption_code_id ?? 0);
  if (!code) throw new Error(`Message ${message.id} has no redeemed code`);
  const content = {
    campaignName: code.campaign_name,
    headline: code.headline,
    voucherCode: deps.box.open(code.voucher_code_sealed, redemptionContexts.voucherCode),
    instructions: code.instructions,
  };
  return { ...writeRedemptionEmail(content), to: message.recipient, messageId: message.message_id };
}

async function settle(
  tx: Tx,
  deps: SendRedemptionEmailDeps,
  sending: { message: MessageRow; token: string; delivery: Delivery },
): Promise<void> {
  const { message, token, delivery } = sending;
  const { id, attempts } = message;
  const { reply } = delivery;
  if (delivery.kind === 'accepted') {
    await markMessageSent(tx, { id, token, at: deps.clock.now(), reply });
    return;
  }
  const givenUp = delivery.kind === 'rejected' || attempts >= MOST_ATTEMPTS;
  const state = givenUp ? 'REJECTED' : delivery.kind === 'unknown' ? 'UNKNOWN' : 'QUEUED';
  const waitSeconds =
    state === 'UNKNOWN' ? UNKNOWN_WAIT_SECONDS : Math.min(2 ** Math.min(attempts, 16), LONGEST_WAIT_SECONDS);
  const unsent = await markMessageUnsent(tx, { id, token, state, reply, waitSeconds });
  if (!unsent) return;
  deps.log.warn({ messageId: id, state, attempts }, 'redemption e-mail not delivered');
  if (state !== 'REJECTED') await sendLater(tx, id, secondsAfter(deps.clock.now(), waitSeconds));
}

import type { AppOptions } from './app-options.ts';
import { openAlert } from './modules/alerts/index.ts';
import { createHttpSmsSender, createIdentity } from './modules/identity/index.ts';
import type { Identity, MailLetter } from './modules/identity/index.ts';
import type { Mailer } from './modules/mail/index.ts';
import {
  countUnfinishedOrders,
  findCustomersByOrderNumber,
  listOrdersOfCustomer,
  listPaymentsOfCustomer,
} from './modules/reports/index.ts';
import type { OutboundClient } from './platform/outbound/outbound-client.ts';
import type { Random } from './platform/random.ts';
import type { SecretBox } from './platform/secret-box.ts';

export interface IdentitySurroundings {
  readonly random: Random;
  readonly box: SecretBox;
  readonly http: OutboundClient;
  readonly mailer: Mailer;
}

/** Gives the identity module what it may not import: the alerts of operators, the SMS provider, other modules' facts. */
export function composeIdentity(options: AppOptions, around: IdentitySurroundings): Identity {
  const { config, db, clock, log, keys, outside } = options;
  const { url = '', apiKey = '' } = outside.sms ?? {};
  return createIdentity({
    db,
    clock,
    log,
    random: around.random,
    secretBox: around.box,
    tokenKeys: keys.tokens,
    accessTokenSeconds: config.accessTokenMinutes * 60,
    records: {
      listOrders: listOrdersOfCustomer,
      listPayments: listPaymentsOfCustomer,
      countUnfinishedOrders,
      findCustomersByOrderNumber,
    },
    publicUrl: config.publicUrl,
    sendMail: (letter) => sendNow(around, letter),
    sms: createHttpSmsSender({ outbound: around.http, url, apiKey }),
    async reportSmsAbuse(tx, abuse) {
      await openAlert(tx, { type: 'sms_abuse', orderId: null, ...abuse });
    },
  });
}

/** For letters that somebody waits for and can ask for again: nothing is stored, so no link of theirs is either. */
async function sendNow({ mailer, random }: IdentitySurroundings, letter: MailLetter): Promise<void> {
  const messageId = `<${random.uuid()}@${mailer.domain}>`;
  const delivery = await mailer.deliver({ ...letter, messageId }, async () => true);
  if (delivery.kind !== 'accepted') throw new Error(`The mail server: ${delivery.kind}, ${delivery.reply}`);
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { printAmount } from '../../amount.ts';
import type { Call } from '../../faults/fault-catalogue.ts';
import { wire, wireBy } from '../../faults/wire.ts';
import { fieldsOf } from '../../request-fields.ts';
import type { World } from '../../world.ts';
import type { Callback, Gateway } from '../gateway.ts';
import { initiateRefund, refundStatus } from './refunds.ts';
import { readSessionFields } from './session-fields.ts';
import { openSessions } from './sessions.ts';
import type { Session, Sessions } from './sessions.ts';
import { callbackForm } from './transaction-fields.ts';
import { createVerification } from './verification.ts';
import type { Verification } from './verification.ts';

const CHECKOUT = '/EasyCheckOut/';
const RETURN_URL = { success: 'success_url', failure: 'fail_url', cancel: 'cancel_url' } as const;
/** The vendor's clients use either verb for everything but session creation. */
const EITHER_VERB: ('GET' | 'POST')[] = ['GET', 'POST'];

/** SSLCommerz v4: session, hosted checkout, IPN and browser post, validation, query, refund. */
export function createSslcommerz(world: World): Gateway {
  const store = world.credentials.aggregator;
  const sessions = openSessions(world.ledger);
  const verification = createVerification(world, sessions);
  const sessionOf = (key: string): Session => {
    const session = sessions.find(key);
    if (!session) throw new Error(`no session ${key}`);
    return session;
  };

  return {
    name: 'aggregator',
    vendor: 'SSLCommerz',
    checkoutPath: `${CHECKOUT}:sessionkey`,
    config: () => ({
      base_url: world.url(),
      store_id: store.storeId,
      store_passwd: store.storePassword,
    }),
    serve: (app) => serve(app, world, { sessions, verification }),
    sessionAt(url) {
      const key = url.pathname.startsWith(CHECKOUT) ? url.pathname.slice(CHECKOUT.length) : '';
      return sessions.find(key)?.sessionkey;
    },
    view(key) {
      const { tranId, fields, amountMinor, outcome } = sessionOf(key);
      return {
        merchant: 'Demo store',
        reference: tranId,
        description: fields['product_name'] ?? '',
        amount: printAmount(amountMinor),
        currency: 'BDT',
        ...(outcome ? { outcome } : {}),
      };
    },
    settle: (key, outcome) => sessions.settle(sessionOf(key), outcome),
    callbacks(key) {
      const session = sessionOf(key);
      const form = callbackForm(session, store);
      const back = session.fields[RETURN_URL[session.outcome ?? 'failure']] ?? '';
      const ipn = session.fields['ipn_url'];
      const browser: Callback = { via: 'browser', method: 'POST', url: back, form };
      return ipn === undefined ? [browser] : [{ via: 'server', method: 'POST', url: ipn, form }, browser];
    },
  };
}

interface Parts {
  sessions: Sessions;
  verification: Verification;
}

function serve(app: FastifyInstance, world: World, { sessions, verification }: Parts): void {
  app.post('/gwprocess/v4/api.php', wire('aggregator', 'init'), async (request) =>
    openSession(world, sessions, fieldsOf(request)),
  );

  app.route({
    method: EITHER_VERB,
    url: '/validator/api/validationserverAPI.php',
    ...wire('aggregator', 'verify'),
    handler: async (request) => {
      const fields = fieldsOf(request);
      if (fields['val_id'] === undefined) return { APIConnect: 'INVALID_REQUEST' };
      return isOurStore(world, fields) ? verification.validate(fields['val_id']) : { APIConnect: 'FAILED' };
    },
  });

  // One script answers four questions; the parameter that is present tells which.
  app.route({
    method: EITHER_VERB,
    url: '/validator/api/merchantTransIDvalidationAPI.php',
    ...wireBy('aggregator', callsOf),
    handler: async (request) => {
      const fields = fieldsOf(request);
      if (!isOurStore(world, fields)) return { APIConnect: 'FAILED' };
      const { refund_ref_id: refundRefId, bank_tran_id: bankTranId, tran_id: tranId, sessionkey } = fields;
      if (refundRefId !== undefined) return refundStatus(world, sessions, refundRefId);
      if (bankTranId !== undefined) return initiateRefund(world, sessions, fields);
      if (tranId !== undefined) return verification.byTranId(tranId);
      if (sessionkey !== undefined) return verification.bySessionkey(sessionkey);
      return { APIConnect: 'INVALID_REQUEST' };
    },
  });
}

function callsOf(request: FastifyRequest): readonly Call[] {
  const fields = fieldsOf(request);
  if (fields['refund_ref_id'] !== undefined) return ['query'];
  return fields['bank_tran_id'] === undefined ? ['verify', 'query'] : ['refund'];
}

function isOurStore({ credentials }: World, fields: Readonly<Record<string, string>>): boolean {
  const { storeId, storePassword } = credentials.aggregator;
  return fields['store_id'] === storeId && fields['store_passwd'] === storePassword;
}

function openSession(world: World, sessions: Sessions, fields: Record<string, string>) {
  if (!isOurStore(world, fields)) return refused('Store Credential Error Or Store is De-active');
  const amount = readSessionFields(fields);
  if ('refused' in amount) return refused(amount.refused);
  if (world.faults.take('aggregator', 'no_url', ['init']))
    return refused('Gateway is temporarily unavailable');
  const { sessionkey } = sessions.open(fields, amount);
  const page = `${world.url()}${CHECKOUT}${sessionkey}`;
  return {
    status: 'SUCCESS',
    failedreason: '',
    sessionkey,
    gw: {
      visa: 'visacard',
      master: 'mastercard',
      amex: 'amexcard',
      othercards: '',
      internetbanking: 'citytouch',
      mobilebanking: 'bkash,nagad,rocket',
    },
    redirectGatewayURL: page,
    directPaymentURLBank: '',
    directPaymentURLCard: '',
    directPaymentURL: '',
    redirectGatewayURLFailed: '',
    GatewayPageURL: page,
    storeBanner: '',
    storeLogo: '',
    store_name: 'Demo store',
    desc: [
      {
        name: 'bKash',
        type: 'mobilebanking',
        logo: '',
        gw: 'bkash',
        r_flag: '1',
        redirectGatewayURL: page,
      },
    ],
    is_direct_pay_enable: '0',
  };
}

/** Refusals are HTTP 200 too, with every key there and empty. */
function refused(failedreason: string) {
  return {
    status: 'FAILED',
    failedreason,
    sessionkey: '',
    gw: [],
    redirectGatewayURL: '',
    directPaymentURLBank: '',
    directPaymentURLCard: '',
    directPaymentURL: '',
    redirectGatewayURLFailed: '',
    GatewayPageURL: '',
    storeBanner: '',
    storeLogo: '',
    store_name: '',
    desc: [],
    is_direct_pay_enable: '0',
  };
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseAmount, printAmount } from '../../amount.ts';
import { wire } from '../../faults/wire.ts';
import { fieldsOf } from '../../request-fields.ts';
import { isExpired, readToken, signToken } from '../../signed-token.ts';
import type { World } from '../../world.ts';
import type { Callback, Gateway } from '../gateway.ts';
import { openIpnAddresses } from '../ipn-addresses.ts';
import { openCharges } from './charges.ts';
import type { Charge, Charges } from './charges.ts';
import { chargeStatus } from './charge-status.ts';
import { outcomeOf } from './error-codes.ts';

type Fields = Record<string, string>;

const TARGET = 'dcb';
const PAGE = '/api/aoc';
const TOKEN_AUDIENCE = 'aoc';
const TOKEN_TTL_SECONDS = 30 * 60;
const MANDATORY = [
  'spTransID',
  'description',
  'currency',
  'amount',
  'onBehalfOf',
  'purchaseCategoryCode',
  'channel',
  'callbackURL',
  'contactInfo',
  'isSubscription',
] as const;

/** Boost Connect AOC: token, consent page, charge status, refund. The callback names the charge, nothing else. */
export function createBoostAoc(world: World): Gateway {
  const account = world.credentials.dcb;
  const charges = openCharges(world.ledger);
  const ipnAddresses = openIpnAddresses(world.ledger);
  const chargeOf = (aocTransID: string): Charge => {
    const charge = charges.find(aocTransID);
    if (!charge) throw new Error(`no charge ${aocTransID}`);
    return charge;
  };

  return {
    name: TARGET,
    vendor: 'Boost AOC (operator billing)',
    checkoutPath: PAGE,
    config: () => ({ base_url: world.url(), api_key: account.apiKey, username: account.username }),
    serve: (app) => serve(app, world, charges),
    sessionAt(url) {
      if (url.pathname !== PAGE) return undefined;
      const claims = readToken(world.credentials.tokenKeys, url.searchParams.get('aocToken') ?? '');
      return claims?.aud === TOKEN_AUDIENCE && !isExpired(claims)
        ? charges.find(claims.use)?.aocTransID
        : undefined;
    },
    view(aocTransID) {
      const { onBehalfOf, spTransID, description, amountMinor, currency, outcome } = chargeOf(aocTransID);
      return {
        merchant: onBehalfOf,
        reference: spTransID,
        description,
        amount: printAmount(amountMinor),
        currency,
        ...(outcome ? { outcome } : {}),
      };
    },
    settle: (aocTransID, outcome) => charges.save({ ...chargeOf(aocTransID), outcome }),
    callbacks(aocTransID) {
      const charge = chargeOf(aocTransID);
      const { callbackURL } = charge;
      const url = `${callbackURL}${callbackURL.includes('?') ? '&' : '?'}aocTransID=${aocTransID}`;
      return [...ipn(charge, ipnAddresses.find(TARGET)), { via: 'browser', method: 'GET', url }];
    },
  };
}

/** Of success only, to an address agreed beforehand, unsigned. */
function ipn(charge: Charge, url: string | undefined): Callback[] {
  if (url === undefined || charge.outcome !== 'success') return [];
  const { aocTransID, msisdn, clientCorrelator, amountMinor } = charge;
  const data = {
    transactionOperationStatus: 'Charged',
    totalAmountCharged: printAmount(amountMinor),
    msisdn,
    aocTransID,
    clientCorrelator,
    chargeMode: 'standard',
    ...outcomeOf('00'),
  };
  return [{ via: 'server', method: 'POST', url, json: { data } }];
}

function serve(app: FastifyInstance, world: World, charges: Charges): void {
  const { apiKey, username } = world.credentials.dcb;
  const admitted = (fields: Fields) => fields['apiKey'] === apiKey && fields['username'] === username;
  const answer = (request: FastifyRequest, act: (fields: Fields) => object) => {
    const fields = fieldsOf(request);
    return { data: admitted(fields) ? act(fields) : outcomeOf('AOC0003') };
  };

  app.post('/api/getAOCToken', wire(TARGET, 'init'), async (request) =>
    answer(request, (fields) => openCharge(world, charges, fields)),
  );
  app.post('/api/chargeStatus', wire(TARGET, 'verify', 'query'), async (request) =>
    answer(request, (fields) => chargeStatus(world, charges, fields['aocTransID'] ?? '')),
  );
  app.post('/api/refund', wire(TARGET, 'refund'), async (request) =>
    answer(request, (fields) => refund(world, charges, fields)),
  );
  app.post('/api/refundStatus', wire(TARGET, 'query'), async (request) =>
    answer(request, (fields) => refundStatus(charges, fields['spTransID'] ?? '')),
  );
}

/** Refusals are HTTP 200 with an errorCode and no token. */
function openCharge(world: World, charges: Charges, fields: Fields): object {
  if (fields['operator'] === undefined) return outcomeOf('AOC1005');
  const { spTransID = '', callbackURL = '', currency = '', amount = '' } = fields;
  const amountMinor = parseAmount(amount);
  const complete = MANDATORY.every((name) => fields[name] !== undefined) && /\.\d\d$/.test(amount);
  // Subscriptions are a product of their own that this stand-in does not have.
  if (!complete || !amountMinor || !URL.canParse(callbackURL) || fields['isSubscription'] !== 'false')
    return outcomeOf('AOC0001');
  if (charges.isUsed(spTransID)) return outcomeOf('AOC1001');
  if (world.faults.take(TARGET, 'no_url', ['init'])) return outcomeOf('AOC1007');
  const { description = '', onBehalfOf = '' } = fields;
  const { aocTransID } = charges.open({
    spTransID,
    amountMinor,
    currency,
    description,
    onBehalfOf,
    callbackURL,
  });
  const token = { aud: TOKEN_AUDIENCE, use: aocTransID, ttlSeconds: TOKEN_TTL_SECONDS };
  return { aocToken: signToken(world.credentials.tokenKeys, token), aocTransID, ...outcomeOf('00') };
}

/** Full or partial, until the sum of a charge's refunds reaches the charge. */
function refund(world: World, charges: Charges, fields: Fields): object {
  const { spTransID = '', aocTransID = '' } = fields;
  const charge = charges.find(aocTransID);
  const amountMinor = parseAmount(fields['amount']);
  if (!charge || spTransID === '' || !amountMinor)
    return { ...outcomeOf('AOC0001'), transactionOperationStatus: 'Denied' };
  if (charges.isUsed(spTransID)) return { ...outcomeOf('AOC1001'), transactionOperationStatus: 'Denied' };
  if (charge.outcome !== 'success') return { ...outcomeOf('AOC0002'), transactionOperationStatus: 'Denied' };
  const tooMuch = charges.refundedMinor(aocTransID) + amountMinor > charge.amountMinor;
  if (tooMuch || world.faults.take(TARGET, 'declined', ['refund'])) {
    return { aocTransID, transactionOperationStatus: 'Denied', ...outcomeOf('AOC1007') };
  }
  charges.addRefund(charge, { spTransID, amountMinor });
  return refundStatus(charges, spTransID);
}

function refundStatus(charges: Charges, spTransID: string): object {
  const made = charges.findRefund(spTransID);
  if (!made) return outcomeOf('AOC0001');
  return {
    aocTransID: made.aocTransID,
    transactionOperationStatus: 'refunded',
    amountRefunded: printAmount(made.amountMinor),
    clientCorrelator: made.clientCorrelator,
    ...outcomeOf('00'),
  };
}

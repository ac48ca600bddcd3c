import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { gatewayNames } from '../../src/modules/payments/gateways/gateway.ts';
import type { CallbackReading, GatewayName } from '../../src/modules/payments/gateways/gateway.ts';
import { aRequest, openLab, withEvidence } from './gateway-lab.ts';
import type { Lab } from './gateway-lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterEach(() => lab.clearFaults());
afterAll(() => lab.close());

/** Where the gateways' own wires differ; everything else below is one promise for all. */
interface Traits {
  /** What the proof says of a session that its customer cancelled, or that was declined on its page. */
  readonly afterCancel: string;
  readonly afterFailure: string;
  /** What its callbacks claim, success, failure and cancel. */
  readonly claims: readonly [string, string, string];
  readonly signature: 'valid' | 'unsigned';
  readonly tellsCurrency: boolean;
  /** Whether the money moves on our word alone, after the customer's. */
  readonly capturesWhenTold: boolean;
}

const plainClaims = ['success', 'failure', 'cancel'] as const;
const traits: Readonly<Record<GatewayName, Traits>> = {
  aggregator: {
    afterCancel: 'cancelled',
    afterFailure: 'refused',
    claims: plainClaims,
    signature: 'valid',
    tellsCurrency: true,
    capturesWhenTold: false,
  },
  wallet_tokenized: {
    // bKash keeps such a payment open: only the callback knows.
    afterCancel: 'processing',
    afterFailure: 'processing',
    claims: plainClaims,
    signature: 'unsigned',
    tellsCurrency: true,
    capturesWhenTold: true,
  },
  multi_wallet: {
    afterCancel: 'refused',
    afterFailure: 'refused',
    claims: plainClaims,
    signature: 'unsigned',
    tellsCurrency: false,
    capturesWhenTold: false,
  },
  dcb: {
    afterCancel: 'cancelled',
    afterFailure: 'refused',
    claims: ['unclear', 'unclear', 'unclear'],
    signature: 'unsigned',
    tellsCurrency: false,
    capturesWhenTold: false,
  },
  wallet_direct: {
    afterCancel: 'cancelled',
    afterFailure: 'refused',
    claims: plainClaims,
    signature: 'unsigned',
    tellsCurrency: false,
    capturesWhenTold: false,
  },
};

type Read = Extract<CallbackReading, { kind: 'read' }>;

function asRead(reading: CallbackReading): Read {
  if (reading.kind !== 'read') throw new Error('the callback was not read');
  return reading;
}

describe.each(gatewayNames)('%s', (name) => {
  const gateway = () => lab.gateway(name);

  /** Pays and asks, as the core does after the callback. */
  async function paidSession() {
    const { url, payment } = await lab.aSession(gateway());
    const reading = gateway().readCallback(await lab.pay(url, 'success'));
    return { url, payment: withEvidence(payment, reading), reading: asRead(reading) };
  }

  it('opens a session with an address to send the customer to', async () => {
    const { url } = await lab.aSession(gateway());
    const page = await fetch(url, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('500.50');
  });

  it('opens a session whose amount has no decimals', async () => {
    const { url, payment } = await lab.aSession(gateway(), { amountMinor: 120_000 });
    const reading = gateway().readCallback(await lab.pay(url, 'success'));
    expect(await gateway().verify(withEvidence(payment, reading))).toMatchObject({ amountMinor: 120_000 });
  });

  it.each(['no_url', 'error_500', 'html', 'unknown_result', 'timeout'])(
    'opens no session on %s',
    async (fault) => {
      await lab.fault({ target: name, fault, call: 'init', times: 2 });
      const result = await gateway().openSession(aRequest('http://127.0.0.1:1/callback'));
      expect(result).toEqual({ kind: 'refused', reason: expect.stringMatching(/./) });
    },
  );

  it('confirms a paid session with its amount, currency and their id, however often it is asked', async () => {
    const { payment } = await paidSession();
    const first = await gateway().verify(payment);
    expect(first).toMatchObject({ kind: 'confirmed', amountMinor: 50_050, currency: 'BDT' });
    const again = await gateway().verify(payment);
    const repeated = await gateway().verify({ ...payment, evidence: {}, isRepeat: true });
    for (const answer of [again, repeated]) {
      expect(answer).toMatchObject({
        kind: 'confirmed',
        amountMinor: 50_050,
        gatewayTransactionId: first.kind === 'confirmed' ? first.gatewayTransactionId : '',
      });
    }
  });

  it('confirms a paid session whose callback was lost', async () => {
    const { url, payment } = await lab.aSession(gateway());
    await lab.pay(url, 'success');
    expect(await gateway().verify(payment)).toMatchObject({ kind: 'confirmed', amountMinor: 50_050 });
  });

  it('takes no money that only moves on our word unless it is allowed to, and asks nobody where it moves by itself', async () => {
    const { payment } = await paidSession();
    const asked: boolean[] = [];
    const claimCapture = async (): Promise<boolean> => asked.push(false) === 0;
    const refused = await gateway().verify({ ...payment, claimCapture });
    expect(refused.kind).toBe(traits[name].capturesWhenTold ? 'processing' : 'confirmed');
    expect(asked.length > 0).toBe(traits[name].capturesWhenTold);
    expect(await gateway().verify({ ...payment, isRepeat: true })).toMatchObject({ kind: 'confirmed' });
  });

  it('confirms nothing while the customer is still on the page', async () => {
    const { payment } = await lab.aSession(gateway());
    expect(await gateway().verify(payment)).toMatchObject({
      kind: expect.stringMatching(/processing|refused/),
    });
  });

  it('refuses a payment that it declines when asked', async () => {
    await lab.fault({ target: name, fault: 'declined', call: 'verify' });
    const { payment } = await paidSession();
    expect(await gateway().verify(payment)).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/./),
    });
  });

  it('confirms no payment that failed or was cancelled on its page', async () => {
    for (const [outcome, kind] of [
      ['failure', traits[name].afterFailure],
      ['cancel', traits[name].afterCancel],
    ] as const) {
      const { url, payment } = await lab.aSession(gateway());
      const reading = gateway().readCallback(await lab.pay(url, outcome));
      expect(await gateway().verify(withEvidence(payment, reading))).toMatchObject({ kind });
    }
  });

  it('says processing as long as the gateway does, then confirms', async () => {
    const { payment } = await paidSession();
    await lab.fault({ target: name, fault: 'processing', call: 'verify', times: 9 });
    expect(await gateway().verify(payment)).toMatchObject({ kind: 'processing' });
    expect(await gateway().verify({ ...payment, isRepeat: true })).toMatchObject({ kind: 'processing' });
    await lab.clearFaults();
    expect(await gateway().verify({ ...payment, isRepeat: true })).toMatchObject({ kind: 'confirmed' });
  });

  it.each(['error_500', 'html', 'rate_limited', 'unknown_result', 'timeout'])(
    'says unknown on %s, and the truth afterwards',
    async (fault) => {
      const { payment } = await paidSession();
      await lab.fault({ target: name, fault, call: 'verify', times: 9 });
      expect(await gateway().verify(payment)).toMatchObject({
        kind: 'unknown',
        reason: expect.stringMatching(/./),
      });
      await lab.clearFaults();
      expect(await gateway().verify({ ...payment, isRepeat: true })).toMatchObject({ kind: 'confirmed' });
    },
  );

  it('reports another amount than was asked as it is given', async () => {
    await lab.fault({ target: name, fault: 'wrong_amount', call: 'verify' });
    const { payment } = await paidSession();
    expect(await gateway().verify(payment)).toMatchObject({ kind: 'confirmed', amountMinor: 25_025 });
  });

  it('reports another currency than was asked, where the gateway names one', async () => {
    if (traits[name].tellsCurrency)
      await lab.fault({ target: name, fault: 'wrong_currency', call: 'verify' });
    const { payment } = await paidSession();
    const currency = traits[name].tellsCurrency ? 'USD' : 'BDT';
    expect(await gateway().verify(payment)).toMatchObject({ kind: 'confirmed', currency });
  });

  it('does not take the answer about one payment for another', async () => {
    const { payment } = await paidSession();
    const stranger = { ...payment, gatewayReference: 'AAAAAAAAAAAAAAAAAAAA' };
    // The operator's answer names no reference of ours: there the session id in our own table is the only link.
    const expected = name === 'dcb' ? ['confirmed'] : ['refused', 'processing'];
    expect(expected).toContain((await gateway().verify(stranger)).kind);
  });

  it('reads what its callbacks name and claim', async () => {
    for (const [index, outcome] of (['success', 'failure', 'cancel'] as const).entries()) {
      const { url, payment } = await lab.aSession(gateway());
      const reading = asRead(gateway().readCallback(await lab.pay(url, outcome)));
      const named = 'reference' in reading.names ? reading.names.reference : reading.names.sessionId;
      expect([payment.gatewayReference, ...Object.values(payment.session)]).toContain(named);
      expect(reading.claims).toBe(traits[name].claims[index]);
      expect(reading.signature).toBe(traits[name].signature);
    }
  });

  it('confirms nothing for a forged callback', async () => {
    const paid = await paidSession();
    const genuine = await lab.pay(paid.url, 'success');
    const { payment } = await lab.aSession(gateway());
    const own = [payment.gatewayReference, ...Object.values(payment.session)].at(-1) ?? '';
    const forged = Object.fromEntries(
      Object.entries(genuine).map(([field, value]) => [
        field,
        ['tran_id', 'invoice_number', 'order_id'].includes(field)
          ? payment.gatewayReference
          : ['paymentID', 'aocTransID', 'payment_ref_id'].includes(field)
            ? own
            : value,
      ]),
    );
    const reading = asRead(gateway().readCallback(forged));
    expect(reading.signature).toBe(traits[name].signature === 'valid' ? 'wrong' : 'unsigned');
    const verified = await gateway().verify(withEvidence(payment, reading));
    expect(verified.kind).not.toBe('confirmed');
  });

  it('reads garbage, nothing, foreign fields and huge ones without throwing or claiming success', () => {
    const huge = 'x'.repeat(1_000_000);
    const names = [
      'tran_id',
      'paymentID',
      'invoice_number',
      'aocTransID',
      'order_id',
      '__proto__',
      'constructor',
    ];
    const bodies = [
      {},
      { '': '' },
      ...names.map((field) => ({ [field]: '' })),
      ...['constructor', '__proto__', 'toString', huge, '\0', '\u{d800}', 'SUCCESS?'].map((value) =>
        Object.fromEntries([...names, 'status', 'trx_status', 'val_id'].map((field) => [field, value])),
      ),
    ];
    for (const body of bodies) {
      const reading = gateway().readCallback(body);
      expect(['unreadable', 'unclear']).toContain(reading.kind === 'read' ? reading.claims : reading.kind);
    }
    expect(gateway().readCallback({})).toEqual({ kind: 'unreadable' });
  });

  it('answers for a payment whose session was never opened', async () => {
    const payment = {
      gatewayReference: 'BBBBBBBBBBBBBBBBBBBB',
      session: {},
      amountMinor: 100,
      currency: 'BDT',
    };
    const question = { ...payment, evidence: {}, claimCapture: async () => true, isRepeat: false };
    expect(await gateway().verify(question)).toMatchObject({
      kind: expect.stringMatching(/refused|processing/),
    });
  });
});

import { expect, test } from 'vitest';
import { dhakaDigits } from '../../dhaka-time.ts';
import { runMerchant } from '../../test-support/run-merchant.ts';
import { runSandbox } from '../../test-support/run-sandbox.ts';
import { readKeys, seal, unseal } from './sealed-text.ts';
import type { SealedText } from './sealed-text.ts';

type Answer = Record<string, unknown>;

const HEADERS = { 'X-KM-Api-Version': 'v-0.2.0', 'X-KM-IP-V4': '203.0.113.9', 'X-KM-Client-Type': 'PC_WEB' };

async function shop() {
  const sandbox = await runSandbox();
  const merchant = await runMerchant();
  const {
    merchant_id = '',
    merchant_number,
    merchant_private_key = '',
    gateway_public_key = '',
  } = sandbox.credentials['wallet_direct'] ?? {};
  const keys = readKeys(merchant_private_key, gateway_public_key);
  const send = (path: string, body: object, headers: Record<string, string> = HEADERS) =>
    sandbox.call<Answer>(`/api/dfs${path}`, body, { headers });

  async function initialize(changes: object = {}, headers?: Record<string, string>, orderId = 'ORDER1') {
    const datetime = dhakaDigits();
    const sealed = seal(
      { merchantId: merchant_id, datetime, orderId, challenge: 'c'.repeat(40), ...changes },
      keys,
    );
    const body = { accountNumber: merchant_number, dateTime: datetime, ...sealed };
    return send(`/check-out/initialize/${merchant_id}/${orderId}`, body, headers);
  }
  async function open(changes: object = {}) {
    const initialized = unseal((await initialize()) as unknown as SealedText, keys) ?? {};
    const { paymentReferenceId: reference, challenge } = initialized as {
      paymentReferenceId: string;
      challenge: string;
    };
    const inside = {
      merchantId: merchant_id,
      orderId: 'ORDER1',
      amount: '150.00',
      currencyCode: '050',
      challenge,
      ...changes,
    };
    const body = {
      ...seal(inside, keys),
      merchantCallbackURL: `${merchant.url}/cb`,
      additionalMerchantInfo: { order: 'ours' },
    };
    return {
      reference,
      challenge,
      opened: await send(`/check-out/complete/${encodeURIComponent(reference)}`, body),
    };
  }
  const verify = (reference: string) => sandbox.call<Answer>(`/api/dfs/verify/payment/${reference}`);
  async function pay(outcome: string) {
    const { reference, opened } = await open();
    await sandbox.call('/_control/pay', { url: opened['callBackUrl'], outcome });
    return reference;
  }
  async function cancel(cancelAmount: string, referenceNo: string) {
    const inside = {
      merchantId: merchant_id,
      originalRequestDate: dhakaDigits().slice(0, 8),
      orderId: 'ORDER1',
      originalAmount: '150.00',
    };
    const sealed = seal({ ...inside, cancelAmount, referenceNo, referenceMessage: 'returned' }, keys);
    const body = { sensitiveDataCancelRequest: sealed.sensitiveData, signature: sealed.signature };
    const answer = await send('/purchase/cancel?orderId=ORDER1', body);
    return 'sensitiveData' in answer ? unseal(answer as unknown as SealedText, keys) : answer;
  }
  return { sandbox, merchant, keys, initialize, open, verify, pay, cancel };
}

test('it answers an encrypted, signed reference that fits the block, then a page', async () => {
  const { open } = await shop();
  const { opened, reference, challenge } = await open();
  expect(Buffer.from(reference, 'base64').toString()).toMatch(/^\d{14}\.\d+\.ORDER1\.\w+$/);
  expect(challenge).toMatch(/^\w{40}$/);
  expect(opened).toMatchObject({
    status: 'Success',
    callBackUrl: expect.stringContaining(`/check-out/${reference}`),
  });
  expect(await (await fetch(String(opened['callBackUrl']))).text()).toContain('BDT 150.00');
});

test('it checks the signature over the text as it came, not as it would write it', async () => {
  const { keys } = await shop();
  const sealed = seal({ b: 1, a: 2 }, keys);
  expect(
    unseal(
      { ...sealed, signature: sealed.signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')) },
      keys,
    ),
  ).toBeUndefined();
  expect(unseal({ sensitiveData: 'bm90aGluZw==', signature: '' }, keys)).toBeUndefined();
});

test('it refuses a clock in UTC, a used order id, a foreign order and a missing header', async () => {
  const { initialize } = await shop();
  const utc = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  expect(await initialize({ datetime: utc })).toMatchObject({
    reason: 'INVALID_DATETIME',
    message: expect.any(String),
  });
  expect(await initialize({ orderId: 'OTHER' })).toMatchObject({ reason: 'INVALID_MERCHANT' });
  expect(await initialize({}, { 'X-KM-Api-Version': 'v-0.2.0' })).toMatchObject({ reason: 'INVALID_HEADER' });
  expect(await initialize({}, undefined, 'A-B')).toMatchObject({ reason: 'INVALID_ORDER_ID' });
  expect(await initialize()).toHaveProperty('sensitiveData');
  expect(await initialize()).toMatchObject({ reason: 'DUPLICATE_ORDER' });
});

test.for([
  ['INVALID_CHALLENGE', { challenge: 'wrong' }],
  ['INVALID_AMOUNT', { amount: 150 }],
  ['INVALID_AMOUNT', { currencyCode: '840' }],
] as const)('it answers %s to a complete call it cannot take', async ([reason, changes]) => {
  const { open } = await shop();
  expect((await open(changes)).opened).toMatchObject({ reason });
});

test.for([
  ['success', 'Success', '000'],
  ['failure', 'Failed', ''],
  ['cancel', 'Aborted', ''],
] as const)(
  'it calls back below the registered path after a %s, and verifies the same',
  async ([outcome, status, statusCode]) => {
    const { merchant, pay, verify } = await shop();
    const reference = await pay(outcome);
    expect(merchant.received).toMatchObject([
      {
        method: 'GET',
        path: '/cb/',
        query: { order_id: 'ORDER1', payment_ref_id: reference, status, message: expect.any(String) },
      },
    ]);
    expect('issuer_payment_ref' in (merchant.received[0]?.query ?? {})).toBe(outcome === 'success');
    expect(await verify(encodeURIComponent(reference))).toMatchObject({
      status,
      statusCode,
      amount: '150.00',
      orderId: 'ORDER1',
      paymentRefId: reference,
      additionalMerchantInfo: '{"order":"ours"}',
    });
  },
);

test('it verifies a reference in the path as it is, with its equals signs, and knows no other', async () => {
  const { open, verify } = await shop();
  const { reference } = await open();
  expect(await verify(reference)).toMatchObject({ status: 'Ready', statusCode: '' });
  expect(await verify('bm9uZQ==')).toMatchObject({ reason: 'PAYMENT_NOT_FOUND' });
});

test.for([
  ['processing', { status: 'Pending' }, { status: 'Success' }],
  ['declined', { status: 'Failed' }, { status: 'Failed' }],
  ['wrong_amount', { status: 'Success', amount: '75.00' }, { amount: '75.00' }],
] as const)('it answers %s at verification', async ([fault, first, then]) => {
  const { pay, sandbox, verify } = await shop();
  const reference = await pay('success');
  await sandbox.fault({ target: 'gw_wallet_direct', fault });
  expect(await verify(reference)).toMatchObject(first);
  expect(await verify(reference)).toMatchObject(then);
});

test('it gives no page under no_url', async () => {
  const { open, sandbox } = await shop();
  await sandbox.fault({ target: 'wallet_direct', fault: 'no_url' });
  expect((await open()).opened).toMatchObject({ callBackUrl: '' });
});

test('it cancels a purchase in parts, and reads Cancelled when all is given back', async () => {
  const { cancel, pay, verify } = await shop();
  const reference = await pay('success');
  expect(await cancel('100.00', 'R1')).toMatchObject({ cancelAmount: '100.00', status: 'Cancelled' });
  expect(await verify(reference)).toMatchObject({ status: 'Success' });
  expect(await cancel('10.00', 'R1')).toMatchObject({ reason: 'DUPLICATE_REFERENCE' });
  expect(await cancel('50.01', 'R2')).toMatchObject({ reason: 'AMOUNT_EXCEEDED' });
  expect(await cancel('50.00', 'R3')).toMatchObject({ cancelAmount: '50.00' });
  expect(await verify(reference)).toMatchObject({ status: 'Cancelled' });
});

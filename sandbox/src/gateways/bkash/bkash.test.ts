import { expect, test } from 'vitest';
import type { SandboxOptions } from '../../index.ts';
import { runMerchant } from '../../test-support/run-merchant.ts';
import { runSandbox } from '../../test-support/run-sandbox.ts';
import type { RunningSandbox } from '../../test-support/run-sandbox.ts';

type Answer = Record<string, unknown>;

const CHECKOUT = '/v1.2.0-beta/tokenized/checkout';

function grant(sandbox: RunningSandbox, changes: Record<string, string> = {}) {
  const {
    username = '',
    password = '',
    app_key = '',
    app_secret = '',
  } = sandbox.credentials['wallet_tokenized'] ?? {};
  const body = { app_key, app_secret, ...changes };
  return sandbox.call<Answer>(`${CHECKOUT}/token/grant`, body, { headers: { username, password } });
}

async function shop(options: Partial<SandboxOptions> = {}) {
  const sandbox = await runSandbox(options);
  const merchant = await runMerchant();
  const { id_token: token } = await grant(sandbox);
  const appKey = sandbox.credentials['wallet_tokenized']?.['app_key'] ?? '';
  const ask = (path: string, body: object, headers: Record<string, string> = {}) =>
    sandbox.call<Answer>(path, body, {
      headers: { authorization: String(token), 'x-app-key': appKey, ...headers },
    });
  const create = (changes: object = {}) =>
    ask(`${CHECKOUT}/create`, {
      mode: '0011',
      payerReference: 'buyer',
      callbackURL: `${merchant.url}/callback`,
      amount: '150.00',
      currency: 'BDT',
      intent: 'sale',
      merchantInvoiceNumber: 'INV1',
      ...changes,
    });
  const pay = async (outcome: string) => {
    const payment = await create();
    await sandbox.call('/_control/pay', { url: payment['bkashURL'], outcome });
    return String(payment['paymentID']);
  };
  const execute = (paymentID: string) => ask(`${CHECKOUT}/execute`, { paymentID });
  const query = (paymentID: string) => ask(`${CHECKOUT}/payment/status`, { paymentID });
  return { sandbox, merchant, ask, create, pay, execute, query };
}

test('it grants a token for an hour, and none for a wrong secret', async () => {
  const sandbox = await runSandbox();
  expect(await grant(sandbox, { app_secret: 'wrong' })).toMatchObject({ statusCode: '2001' });
  const granted = await grant(sandbox);
  expect(granted).toMatchObject({ statusCode: '0000', token_type: 'Bearer', expires_in: 3600 });
  const claims = Buffer.from(String(granted['id_token']).split('.')[1] ?? '', 'base64url').toString();
  const { iat, exp } = JSON.parse(claims) as { iat: number; exp: number };
  expect(exp - iat).toBe(3600);
});

test('it lets two token calls an hour through, refreshes included, restart or not', async () => {
  const sandbox = await runSandbox();
  const {
    username = '',
    password = '',
    app_key = '',
    app_secret = '',
  } = sandbox.credentials['wallet_tokenized'] ?? {};
  const { refresh_token } = await grant(sandbox);
  const refreshed = await sandbox.call(
    `${CHECKOUT}/token/refresh`,
    { app_key, app_secret, refresh_token },
    { headers: { username, password } },
  );
  expect(refreshed).toMatchObject({ statusCode: '0000', id_token: expect.any(String) });
  expect(await grant(sandbox)).toEqual({ message: 'Too Many Requests' });
  await sandbox.close();
  const again = await runSandbox({ dataDir: sandbox.dataDir });
  expect(await grant(again)).toEqual({ message: 'Too Many Requests' });
});

test('it takes the bare token only', async () => {
  const { ask, create, sandbox } = await shop();
  expect(await ask(`${CHECKOUT}/execute`, { paymentID: 'x' }, { authorization: 'Bearer x' })).toEqual({
    message: 'Unauthorized',
  });
  await sandbox.fault({ target: 'wallet_tokenized', fault: 'expired_token' });
  expect(await create()).toEqual({ message: 'The incoming token has expired' });
  expect(await create()).toMatchObject({ statusCode: '0000' });
});

test('it creates a payment with its page and its three callback addresses', async () => {
  const { create, merchant, sandbox } = await shop();
  const payment = await create();
  expect(payment).toMatchObject({
    statusCode: '0000',
    paymentID: expect.stringMatching(/^TR0011\w{20}$/),
    amount: '150.00',
    transactionStatus: 'Initiated',
    paymentCreateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d:\d{3} GMT\+0600$/),
    successCallbackURL: expect.stringContaining(`${merchant.url}/callback?paymentID=TR0011`),
  });
  const page = await (await fetch(String(payment['bkashURL']))).text();
  expect(page).toContain('BDT 150.00');
  expect(await (await fetch(sandbox.url)).text()).toContain('Sandbox');
});

test.for([
  ['2065', { amount: '' }],
  ['2063', { mode: '9' }],
  ['2064', { mode: '0001' }],
  ['2006', { amount: '0.5' }],
  ['2007', { currency: 'USD' }],
  ['2008', { intent: 'gift' }],
  ['2031', { merchantInvoiceNumber: 'a<b' }],
  ['2048', { payerReference: 'a&b' }],
  ['2049', { callbackURL: 'nowhere' }],
] as const)('it answers %s to a create call it cannot take', async ([statusCode, changes]) => {
  const { create } = await shop();
  const answer = await create(changes);
  expect(answer).toMatchObject({ statusCode });
  expect(answer).not.toHaveProperty('bkashURL');
});

test.for(['success', 'failure', 'cancel'])('it brings the browser back with status %s', async (outcome) => {
  const { merchant, pay } = await shop();
  const paymentID = await pay(outcome);
  expect(merchant.received).toMatchObject([
    {
      method: 'GET',
      path: '/callback',
      query: { paymentID, status: outcome, apiVersion: '1.2.0-beta/' },
    },
  ]);
  expect(merchant.received[0]?.query['signature']).toHaveLength(10);
});

test('it moves the money at execute, once', async () => {
  const { ask, execute, pay, query } = await shop();
  const paymentID = await pay('success');
  expect(await query(paymentID)).toMatchObject({
    transactionStatus: 'Initiated',
    userVerificationStatus: 'Complete',
  });
  const executed = await execute(paymentID);
  expect(executed).toMatchObject({
    statusCode: '0000',
    transactionStatus: 'Completed',
    trxID: expect.stringMatching(/^\w{10}$/),
    amount: '150.00',
    merchantInvoiceNumber: 'INV1',
    maxRefundableAmount: '150.00',
  });
  expect(await execute(paymentID)).toMatchObject({ statusCode: '2062' });
  expect(await query(paymentID)).toMatchObject({
    transactionStatus: 'Completed',
    trxID: executed['trxID'],
    merchantInvoice: 'INV1',
  });
  expect(await ask(`${CHECKOUT}/general/searchTransaction`, { trxID: executed['trxID'] })).toMatchObject({
    amount: '150.00',
  });
});

test('it will not execute what the customer has not finished, or does not exist', async () => {
  const { execute, pay } = await shop();
  expect(await execute(await pay('failure'))).toMatchObject({ statusCode: '2056' });
  expect(await execute('TR0011unknown')).toMatchObject({ statusCode: '2002' });
});

test('it spends the payment when execute is declined', async () => {
  const { execute, pay, query, sandbox } = await shop();
  const paymentID = await pay('success');
  await sandbox.fault({ target: 'gw_wallet_tokenized', fault: 'declined' });
  const declined = await execute(paymentID);
  expect(declined).toMatchObject({ statusCode: '2023' });
  expect(declined).not.toHaveProperty('transactionStatus');
  expect(await execute(paymentID)).toMatchObject({ statusCode: '2117' });
  expect(await query(paymentID)).toMatchObject({ transactionStatus: 'Initiated' });
});

test('it answers Initiated while processing, and Completed when asked again', async () => {
  const { execute, pay, query, sandbox } = await shop();
  const paymentID = await pay('success');
  await sandbox.fault({ target: 'wallet_tokenized', fault: 'processing', times: 2 });
  expect(await execute(paymentID)).toMatchObject({
    statusCode: '0000',
    transactionStatus: 'Initiated',
  });
  expect(await query(paymentID)).toMatchObject({ transactionStatus: 'Initiated' });
  expect(await query(paymentID)).toMatchObject({ transactionStatus: 'Completed' });
});

test('it has executed a payment whose answer was never heard', async () => {
  const { execute, pay, query, sandbox } = await shop();
  const paymentID = await pay('success');
  await sandbox.fault({ target: 'wallet_tokenized', fault: 'unknown_result' });
  await expect(execute(paymentID)).rejects.toThrow('fetch failed');
  expect(await query(paymentID)).toMatchObject({ transactionStatus: 'Completed' });
});

test.for([
  ['wrong_amount', { amount: '75.00', currency: 'BDT' }],
  ['wrong_currency', { amount: '150.00', currency: 'USD' }],
] as const)('it keeps to a %s once told', async ([fault, told]) => {
  const { execute, pay, query, sandbox } = await shop();
  const paymentID = await pay('success');
  await sandbox.fault({ target: 'wallet_tokenized', fault });
  expect(await execute(paymentID)).toMatchObject(told);
  expect(await query(paymentID)).toMatchObject(told);
});

test('it gives no page under no_url', async () => {
  const { create, sandbox } = await shop();
  await sandbox.fault({ target: 'wallet_tokenized', fault: 'no_url' });
  expect(await create()).not.toHaveProperty('bkashURL');
});

test('it refunds by v1, telling the last refund when no amount is given', async () => {
  const { ask, execute, pay } = await shop();
  const paymentID = await pay('success');
  const { trxID } = await execute(paymentID);
  const refund = (more: object) =>
    ask(`${CHECKOUT}/payment/refund`, { paymentID, trxID, sku: 'x', reason: 'returned', ...more });
  expect(await refund({})).toMatchObject({ statusCode: '2033' });
  const made = await refund({ amount: '100' });
  expect(made).toMatchObject({
    statusCode: '0000',
    transactionStatus: 'Completed',
    originalTrxID: trxID,
    amount: '100.00',
  });
  expect(await refund({})).toMatchObject({ refundTrxID: made['refundTrxID'] });
  expect(await refund({ amount: '50.01' })).toMatchObject({ statusCode: '2026' });
  expect(await refund({ amount: '50.00' })).toMatchObject({ statusCode: '0000' });
  expect(await refund({ amount: '1' })).toMatchObject({ statusCode: '2034' });
});

test('it refunds by v2 with its own names and its own errors', async () => {
  const { ask, execute, pay } = await shop();
  const paymentId = await pay('success');
  const { trxID: trxId } = await execute(paymentId);
  const refund = (refundAmount: string) =>
    ask('/v2/tokenized-checkout/refund/payment/transaction', {
      paymentId,
      trxId,
      refundAmount,
      sku: 'x',
      reason: 'returned',
    });
  expect(await refund('40')).toMatchObject({
    originalTrxId: trxId,
    refundAmount: '40.00',
    refundTransactionStatus: 'Completed',
  });
  expect(await refund('111')).toMatchObject({
    externalCode: '2026',
    errorMessageEn: expect.any(String),
  });
  expect(await ask('/v2/tokenized-checkout/refund/payment/status', { paymentId, trxId })).toMatchObject({
    originalTrxAmount: '150.00',
    refundTransactions: [{ refundAmount: '40.00' }],
  });
});

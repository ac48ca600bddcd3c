import { expect, test } from 'vitest';
import { runMerchant } from '../../test-support/run-merchant.ts';
import { runSandbox } from '../../test-support/run-sandbox.ts';

type Answer = Record<string, unknown>;

async function shop() {
  const sandbox = await runSandbox();
  const merchant = await runMerchant();
  const { merchant_id: merchantId = '', password = '' } = sandbox.credentials['multi_wallet'] ?? {};
  const fields = (changes: Record<string, string> = {}) => ({
    merchantId,
    password,
    invoice_number: 'INV1',
    currency: 'BDT',
    payment_amount: '150.00',
    reference: 'Gift card',
    cust_name: 'Buyer',
    cust_phone: '01700000000',
    cust_email: 'buyer@example.com',
    cust_address: '',
    callback_url: `${merchant.url}/callback`,
    opt_a: 'ours',
    ...changes,
  });
  const initiate = (changes?: Record<string, string>) =>
    sandbox.call<Answer>('/initiate-payment', fields(changes));
  const ask = (path: string, body: object, id = merchantId) =>
    sandbox.call<Answer>(path, body, { headers: { merchantId: id } });
  return {
    sandbox,
    merchant,
    fields,
    initiate,
    ask,
    status: (invoice_number = 'INV1', id?: string) => ask('/transaction-status', { invoice_number }, id),
    pay: async (outcome: string) =>
      sandbox.call('/_control/pay', { url: (await initiate())['payment_url'], outcome }),
  };
}

test('it opens a checkout page for JSON, urlencoded and multipart alike', async () => {
  const { fields, initiate, sandbox } = await shop();
  const answer = await initiate();
  expect(answer).toMatchObject({
    status_code: '200',
    status: 'success',
    payment_amount: '150.00',
    invoice_number: 'INV1',
  });
  expect(await (await fetch(String(answer['payment_url']))).text()).toContain('BDT 150.00');
  const urlencoded = await sandbox.post(
    '/initiate-payment',
    fields({ invoice_number: 'INV2', payment_amount: '150' }),
  );
  expect(await urlencoded.json()).toMatchObject({ status_code: '200', payment_amount: '150' });
  const form = new FormData();
  for (const [name, value] of Object.entries(fields({ invoice_number: 'INV3' }))) form.set(name, value);
  const multipart = await fetch(`${sandbox.url}/initiate-payment`, { method: 'POST', body: form });
  expect(await multipart.json()).toMatchObject({ status_code: '200' });
});

test('it answers 1001 to a wrong password, 1008 to a used invoice, and never a page', async () => {
  const { initiate } = await shop();
  expect(await initiate({ password: 'wrong' })).toMatchObject({ status_code: '1001', status: 'failed' });
  await initiate();
  const again = await initiate();
  expect(again).toMatchObject({ status_code: '1008', status: 'failed' });
  expect(again).not.toHaveProperty('payment_url');
  expect(await initiate({ invoice_number: 'INV2', cust_email: '' })).toMatchObject({ status: 'failed' });
});

test.for([
  ['success', 'Successful', 'success'],
  ['failure', 'Failed', 'failed'],
  ['cancel', 'Canceled', 'failed'],
] as const)('it brings the browser back after a %s as %s', async ([outcome, told, status]) => {
  const { merchant, pay, status: statusOf } = await shop();
  await pay(outcome);
  expect(merchant.received).toMatchObject([
    { method: 'GET', path: '/callback', query: { status: told, invoice_number: 'INV1' } },
  ]);
  expect('trx_id' in (merchant.received[0]?.query ?? {})).toBe(outcome === 'success');
  expect(await statusOf()).toMatchObject({
    status_code: '200',
    data: { trx_status: status, request_amount: '150.00', opt_a: 'ours' },
  });
});

test('it echoes the amount while unpaid, and tells strangers nothing', async () => {
  const { initiate, status } = await shop();
  await initiate();
  expect(await status()).toMatchObject({
    data: { trx_status: 'processing', payment_amount: '150.00', trx_id: '' },
  });
  expect(await status('OTHER')).toMatchObject({
    status_code: '2001',
    message: 'Transaction not found in system',
  });
  expect(await status('INV1', 'someone')).toMatchObject({ status: 'failed' });
});

test('it answers the v2 query by transaction id', async () => {
  const { ask, merchant, pay } = await shop();
  await pay('success');
  const trxId = merchant.received[0]?.query['trx_id'] ?? '';
  expect(await ask('/v2/transaction-status', { trxId })).toMatchObject({
    data: { trx_id: trxId, trx_status: 'success', trx_amount: '150.00', invoice_number: 'INV1' },
  });
});

test.for([
  ['processing', { trx_status: 'processing' }, { trx_status: 'success' }],
  ['declined', { trx_status: 'failed' }, { trx_status: 'failed' }],
  ['wrong_amount', { trx_status: 'success', request_amount: '75.00' }, { request_amount: '75.00' }],
] as const)('it answers %s at verification', async ([fault, first, then]) => {
  const { pay, sandbox, status } = await shop();
  await pay('success');
  await sandbox.fault({ target: 'gw_multi_wallet', fault });
  expect(await status()).toMatchObject({ data: first });
  expect(await status()).toMatchObject({ data: then });
});

test('it gives no page under no_url, and does not use the invoice up', async () => {
  const { initiate, sandbox } = await shop();
  await sandbox.fault({ target: 'multi_wallet', fault: 'no_url' });
  expect(await initiate()).not.toHaveProperty('payment_url');
  expect(await initiate()).toMatchObject({ status_code: '200' });
});

test('it posts a notice of success to the agreed address before the browser returns', async () => {
  const { merchant, pay, sandbox } = await shop();
  await sandbox.call('/_control/ipn', { target: 'gw_multi_wallet', url: `${merchant.url}/ipn` });
  await pay('success');
  expect(merchant.received.map((callback) => callback.path)).toEqual(['/ipn', '/callback']);
  expect(JSON.parse(merchant.received[0]?.body ?? '')).toMatchObject({
    invoice_number: 'INV1',
    trx_status: 'success',
    trx_amount: '150.00',
  });
});

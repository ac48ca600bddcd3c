import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { runMerchant } from '../../test-support/run-merchant.ts';
import { runSandbox } from '../../test-support/run-sandbox.ts';
import type { RunningSandbox } from '../../test-support/run-sandbox.ts';

type Answer = Record<string, unknown>;

const md5 = (value: string) => createHash('md5').update(value).digest('hex');

function sessionForm(sandbox: RunningSandbox, shopUrl: string, changes: Record<string, string> = {}) {
  const { store_id = '', store_passwd = '' } = sandbox.credentials['aggregator'] ?? {};
  return {
    store_id,
    store_passwd,
    total_amount: '150.00',
    currency: 'BDT',
    tran_id: 'TRAN1',
    success_url: `${shopUrl}/success`,
    fail_url: `${shopUrl}/fail`,
    cancel_url: `${shopUrl}/cancel`,
    ipn_url: `${shopUrl}/ipn`,
    product_category: 'voucher',
    product_name: 'Gift card',
    product_profile: 'non-physical-goods',
    cus_name: 'Buyer',
    cus_email: 'buyer@example.com',
    cus_add1: 'Dhaka',
    cus_city: 'Dhaka',
    cus_postcode: '1000',
    cus_country: 'Bangladesh',
    cus_phone: '01700000000',
    shipping_method: 'NO',
    num_of_item: '1',
    value_a: 'ours',
    ...changes,
  };
}

async function shop(changes: Record<string, string> = {}) {
  const sandbox = await runSandbox();
  const merchant = await runMerchant();
  const open = async (more: Record<string, string> = {}) => {
    const form = sessionForm(sandbox, merchant.url, { ...changes, ...more });
    return (await (await sandbox.post('/gwprocess/v4/api.php', form)).json()) as Record<string, string>;
  };
  const ask = (path: string, query: Record<string, string>, method = 'GET') => {
    const { store_id = '', store_passwd = '' } = sandbox.credentials['aggregator'] ?? {};
    return sandbox.call<Answer>(
      `${path}?${new URLSearchParams({ store_id, store_passwd, v: '1', format: 'json', ...query })}`,
      undefined,
      { method },
    );
  };
  return {
    sandbox,
    merchant,
    open,
    validate: (valId: string) => ask('/validator/api/validationserverAPI.php', { val_id: valId }),
    query: (query: Record<string, string>, method?: string) =>
      ask('/validator/api/merchantTransIDvalidationAPI.php', query, method),
    pay: async (outcome: string) =>
      sandbox.call('/_control/pay', { url: (await open())['GatewayPageURL'], outcome }),
  };
}

test('it opens a session at a page where a person can pay, decline or cancel', async () => {
  const { open } = await shop();
  const session = await open();
  expect(session).toMatchObject({
    status: 'SUCCESS',
    failedreason: '',
    sessionkey: expect.stringMatching(/^\w{32}$/),
  });
  const page = await (await fetch(session['GatewayPageURL'] ?? '')).text();
  for (const said of ['BDT 150.00', 'TRAN1', 'Pay', 'Decline', 'Cancel']) expect(page).toContain(said);
});

test('it takes a multipart form whose unused parts are empty strings', async () => {
  const { sandbox, merchant } = await shop();
  const body = new FormData();
  const unused = Array.from({ length: 36 }, (_, part) => [`unused_${part}`, '']);
  for (const [name = '', value = ''] of [...Object.entries(sessionForm(sandbox, merchant.url)), ...unused])
    body.set(name, value);
  const response = await fetch(`${sandbox.url}/gwprocess/v4/api.php`, { method: 'POST', body });
  expect(await response.json()).toMatchObject({ status: 'SUCCESS' });
});

test.for([
  ['a wrong password', { store_passwd: 'wrong' }, /Store Credential/],
  ['an amount below 10', { total_amount: '9.99' }, /between 10\.00/],
  ['an amount above 500000', { total_amount: '500000.01' }, /500000\.00/],
  ['a transaction id above 30 characters', { tran_id: 'x'.repeat(31) }, /tran_id/],
  ['a missing mandatory field', { cus_phone: '' }, /cus_phone/],
  ['an unknown product profile', { product_profile: 'weapons' }, /product_profile/],
] as const)('it refuses %s without a page to go to', async ([, changes, reason]) => {
  const { open } = await shop(changes);
  const answer = await open();
  expect(answer).toMatchObject({ status: 'FAILED', GatewayPageURL: '' });
  expect(answer['failedreason']).toMatch(reason);
});

test('it posts a signed IPN, then brings the browser back, when the person pays', async () => {
  const { merchant, pay, sandbox } = await shop();
  const { callbacks } = (await pay('success')) as { callbacks: Answer[] };
  expect(callbacks).toMatchObject([
    { via: 'server', method: 'POST', status: 200 },
    { via: 'browser', method: 'POST', status: 303, location: '/result' },
  ]);
  const [ipn, browser] = merchant.received;
  expect([ipn?.path, browser?.path]).toEqual(['/ipn', '/success']);
  expect(ipn?.form).toEqual(browser?.form);
  const form = ipn?.form ?? {};
  expect(form).toMatchObject({
    status: 'VALID',
    tran_id: 'TRAN1',
    amount: '150.00',
    store_amount: '146.25',
    currency: 'BDT',
    value_a: 'ours',
  });
  expect(form['val_id']).toHaveLength(28);
  const signed: Record<string, string> = {
    store_passwd: md5(sandbox.credentials['aggregator']?.['store_passwd'] ?? ''),
  };
  for (const name of form['verify_key']?.split(',') ?? []) signed[name] = form[name] ?? '';
  const text = Object.keys(signed)
    .toSorted()
    .map((name) => `${name}=${signed[name]}`)
    .join('&');
  expect(md5(text)).toBe(form['verify_sign']);
});

test('it validates VALID the first time, VALIDATED after that, and nothing else', async () => {
  const { merchant, pay, validate } = await shop();
  await pay('success');
  const valId = merchant.received[0]?.form['val_id'] ?? '';
  expect(await validate(valId)).toMatchObject({
    APIConnect: 'DONE',
    status: 'VALID',
    amount: '150.00',
    tran_id: 'TRAN1',
  });
  expect(await validate(valId)).toMatchObject({ status: 'VALIDATED' });
  expect(await validate('unknown')).toMatchObject({
    APIConnect: 'DONE',
    status: 'INVALID_TRANSACTION',
  });
});

test('it tells a stranger nothing', async () => {
  const { sandbox } = await shop();
  const answer = await sandbox.call(
    '/validator/api/validationserverAPI.php?val_id=1&store_id=x&store_passwd=y',
  );
  expect(answer).toEqual({ APIConnect: 'FAILED' });
});

test.for([
  ['failure', '/fail', 'FAILED'],
  ['cancel', '/cancel', 'CANCELLED'],
] as const)('it reports a %s without a val_id, and the query agrees', async ([outcome, path, status]) => {
  const { merchant, pay, query } = await shop();
  await pay(outcome);
  expect(merchant.received.map((callback) => callback.path)).toEqual(['/ipn', path]);
  expect(merchant.received[0]?.form).toMatchObject({
    status,
    error: expect.stringMatching(/\w/),
  });
  expect(merchant.received[0]?.form).not.toHaveProperty('val_id');
  expect(await query({ tran_id: 'TRAN1' })).toMatchObject({
    no_of_trans_found: 1,
    element: [{ status }],
  });
});

test('it lists every attempt of a transaction id, by GET and by POST, and PENDING while unpaid', async () => {
  const { open, query } = await shop();
  const { sessionkey = '' } = await open();
  await open();
  expect(await query({ tran_id: 'TRAN1' }, 'POST')).toMatchObject({
    no_of_trans_found: 2,
    element: [{ status: 'PENDING' }, {}],
  });
  expect(await query({ sessionkey })).toMatchObject({
    sessionkey,
    status: 'PENDING',
    tran_id: 'TRAN1',
  });
  expect(await query({ tran_id: 'OTHER' })).toEqual({
    APIConnect: 'DONE',
    no_of_trans_found: 0,
    element: [],
  });
});

test('it hands a real browser a form to post, and tells the shop by IPN itself', async () => {
  const { merchant, open, sandbox } = await shop();
  const { GatewayPageURL: page = '' } = await open();
  const clicked = await sandbox.post(page, { outcome: 'success' });
  const html = await clicked.text();
  expect(html).toContain(`action="${merchant.url}/success"`);
  expect(html).toContain('name="verify_sign"');
  expect(merchant.received.map((callback) => callback.path)).toEqual(['/ipn']);
});

test('it sends the callback again, and keeps the outcome, when a finished session is paid again', async () => {
  const { merchant, open, sandbox } = await shop();
  const { GatewayPageURL: url } = await open();
  await sandbox.call('/_control/pay', { url, outcome: 'failure' });
  expect(await sandbox.call('/_control/pay', { url, outcome: 'success' })).toMatchObject({
    outcome: 'failure',
  });
  expect(merchant.received.map((callback) => callback.form['status'])).toEqual([
    'FAILED',
    'FAILED',
    'FAILED',
    'FAILED',
  ]);
});

test('it refunds in parts until the payment is used up', async () => {
  const { merchant, pay, query } = await shop();
  await pay('success');
  const bank_tran_id = merchant.received[0]?.form['bank_tran_id'] ?? '';
  const refund = (refund_amount: string, refund_trans_id: string) =>
    query({ bank_tran_id, refund_amount, refund_remarks: 'returned', refund_trans_id });
  const first = await refund('100.00', 'R1');
  expect(first).toMatchObject({ APIConnect: 'DONE', status: 'success', trans_id: 'TRAN1' });
  expect(await refund('100.00', 'R1')).toMatchObject({
    status: 'failed',
    refund_ref_id: first['refund_ref_id'],
  });
  expect(await refund('50.01', 'R2')).toMatchObject({
    status: 'failed',
    errorReason: expect.stringContaining('exceeds'),
  });
  expect(await refund('50.00', 'R3')).toMatchObject({ status: 'success' });
  expect(await query({ refund_ref_id: String(first['refund_ref_id']) })).toMatchObject({
    status: 'refunded',
  });
});

test('it keeps a refund processing until somebody asks', async () => {
  const { merchant, pay, query, sandbox } = await shop();
  await pay('success');
  await sandbox.fault({ target: 'aggregator', fault: 'processing', call: 'refund' });
  const bank_tran_id = merchant.received[0]?.form['bank_tran_id'] ?? '';
  const refund = await query({ bank_tran_id, refund_amount: '10', refund_remarks: 'returned' });
  expect(refund).toMatchObject({ status: 'processing' });
  expect(await query({ refund_ref_id: String(refund['refund_ref_id']) })).toMatchObject({
    status: 'refunded',
  });
});

test.for([
  ['declined', { status: 'FAILED' }, { status: 'FAILED' }],
  ['wrong_amount', { status: 'VALID', amount: '75.00' }, { status: 'VALIDATED', amount: '75.00' }],
  ['wrong_currency', { status: 'VALID', currency: 'USD' }, { status: 'VALIDATED', currency: 'USD' }],
  ['processing', { status: 'PENDING' }, { status: 'VALID', amount: '150.00' }],
] as const)(
  'it answers %s at verification, though the callback said success',
  async ([fault, first, then]) => {
    const { merchant, pay, sandbox, validate } = await shop();
    await pay('success');
    await sandbox.fault({ target: 'aggregator', fault });
    const form = merchant.received[0]?.form ?? {};
    expect(form).toMatchObject({ status: 'VALID', amount: '150.00' });
    expect(await validate(form['val_id'] ?? '')).toMatchObject(first);
    expect(await validate(form['val_id'] ?? '')).toMatchObject(then);
  },
);

test('it gives no page under no_url, and opens the next session', async () => {
  const { open, sandbox } = await shop();
  await sandbox.fault({ target: 'gw_aggregator', fault: 'no_url' });
  expect(await open()).toMatchObject({ status: 'FAILED', GatewayPageURL: '' });
  expect(await open()).toMatchObject({ status: 'SUCCESS' });
});

test('it sends every callback twenty times at once, or none, on demand', async () => {
  const { merchant, pay, sandbox } = await shop();
  await sandbox.fault({ target: 'aggregator', fault: 'duplicate_callback' });
  await pay('success');
  expect(merchant.received.filter((callback) => callback.path === '/ipn')).toHaveLength(20);
  expect(merchant.received.filter((callback) => callback.path === '/success')).toHaveLength(20);
  await sandbox.fault({ target: 'aggregator', fault: 'drop_callback' });
  expect(await pay('success')).toMatchObject({
    outcome: 'success',
    callbacks: [],
    fault: 'drop_callback',
  });
  expect(merchant.received).toHaveLength(40);
});

test('it delivers a late callback after it has answered', async () => {
  const { merchant, pay, sandbox } = await shop();
  await sandbox.fault({ target: 'aggregator', fault: 'late_callback', delayMs: 50 });
  expect(await pay('success')).toMatchObject({ callbacks: [], fault: 'late_callback' });
  await expect.poll(() => merchant.received.map((callback) => callback.path)).toEqual(['/ipn', '/success']);
});

test('it remembers sessions over a restart, and their checkout pages with them', async () => {
  const { open, sandbox } = await shop();
  const { GatewayPageURL: page = '', sessionkey = '' } = await open();
  await sandbox.close();
  const again = await runSandbox({ dataDir: sandbox.dataDir });
  const shown = await fetch(`${again.url}${new URL(page).pathname}`);
  expect(shown.status).toBe(200);
  const { store_id = '', store_passwd = '' } = again.credentials['aggregator'] ?? {};
  const query = new URLSearchParams({ store_id, store_passwd, sessionkey });
  expect(await again.call(`/validator/api/merchantTransIDvalidationAPI.php?${query}`)).toMatchObject({
    status: 'PENDING',
  });
});

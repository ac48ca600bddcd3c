import { expect, test } from 'vitest';
import { runMerchant } from '../../test-support/run-merchant.ts';
import { runSandbox } from '../../test-support/run-sandbox.ts';

interface Answer {
  data: Record<string, unknown>;
}

async function shop() {
  const sandbox = await runSandbox();
  const merchant = await runMerchant();
  const { api_key: apiKey, username } = sandbox.credentials['dcb'] ?? {};
  const order = (changes: object = {}) => ({
    apiKey,
    username,
    spTransID: 'SP1',
    description: 'Gift card',
    currency: 'BDT',
    amount: '50.00',
    onBehalfOf: 'Demo shop',
    purchaseCategoryCode: 'Game',
    referenceCode: 'SP1',
    channel: 'WEB',
    operator: 'ROBI',
    taxAmount: '0',
    callbackURL: `${merchant.url}/callback`,
    contactInfo: 'help@example.com',
    isSubscription: false,
    ...changes,
  });
  const ask = (path: string, body: object) => sandbox.call<Answer>(path, { apiKey, username, ...body });
  const token = (changes?: object) => sandbox.call<Answer>('/api/getAOCToken', order(changes));
  const pageOf = ({ data }: Answer) =>
    `${sandbox.url}/api/aoc?aocToken=${encodeURIComponent(String(data['aocToken']))}`;
  return {
    sandbox,
    merchant,
    order,
    ask,
    token,
    pageOf,
    status: (aocTransID: unknown) => ask('/api/chargeStatus', { aocTransID }),
    pay: async (outcome: string) => {
      const opened = await token();
      await sandbox.call('/_control/pay', { url: pageOf(opened), outcome });
      return opened.data['aocTransID'];
    },
  };
}

test('it gives a token that leads to a page of consent', async () => {
  const { pageOf, status, token } = await shop();
  const opened = await token();
  expect(opened).toMatchObject({ data: { errorCode: '00', aocTransID: expect.stringMatching(/^\d{16}$/) } });
  expect(await (await fetch(pageOf(opened))).text()).toContain('BDT 50.00');
  expect(await status(opened.data['aocTransID'])).toMatchObject({
    data: { transactionOperationStatus: 'pending_consent' },
  });
});

test('it reads JSON sent with the content type of a form', async () => {
  const { order, sandbox } = await shop();
  const response = await fetch(`${sandbox.url}/api/getAOCToken`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: JSON.stringify(order({ description: 'Card', contactInfo: 'help' })),
  });
  expect(await response.json()).toMatchObject({ data: { errorCode: '00' } });
});

test.for([
  ['AOC0003', { apiKey: 'wrong' }],
  ['AOC1005', { operator: '' }],
  ['AOC0001', { amount: '50' }],
  ['AOC0001', { isSubscription: true }],
] as const)('it answers %s to a token request it cannot take', async ([errorCode, changes]) => {
  const { token } = await shop();
  const answer = await token(changes);
  expect(answer).toMatchObject({ data: { errorCode } });
  expect(answer.data).not.toHaveProperty('aocToken');
});

test('it takes a spTransID once', async () => {
  const { token } = await shop();
  await token();
  expect(await token()).toMatchObject({ data: { errorCode: 'AOC1001' } });
});

test.for([
  ['success', 'Charged', '00'],
  ['failure', 'Denied', 'AOC1012'],
  ['cancel', 'Denied', 'AOC1004'],
] as const)(
  'it brings the browser back with nothing but the id after a %s',
  async ([outcome, told, errorCode]) => {
    const { merchant, pay, status } = await shop();
    const aocTransID = await pay(outcome);
    expect(merchant.received).toMatchObject([{ method: 'GET', path: '/callback', query: { aocTransID } }]);
    expect(Object.keys(merchant.received[0]?.query ?? {})).toEqual(['aocTransID']);
    expect(await status(aocTransID)).toMatchObject({
      data: {
        transactionOperationStatus: told,
        errorCode,
        totalAmountCharged: '50.00',
        msisdn: expect.stringMatching(/^\+880/),
      },
    });
  },
);

test.for([
  ['processing', { transactionOperationStatus: 'Processing' }, { transactionOperationStatus: 'Charged' }],
  ['declined', { transactionOperationStatus: 'Denied' }, { transactionOperationStatus: 'Denied' }],
  ['wrong_amount', { totalAmountCharged: '25.00' }, { totalAmountCharged: '25.00' }],
] as const)('it answers %s at verification', async ([fault, first, then]) => {
  const { pay, sandbox, status } = await shop();
  const aocTransID = await pay('success');
  await sandbox.fault({ target: 'dcb', fault });
  expect(await status(aocTransID)).toMatchObject({ data: first });
  expect(await status(aocTransID)).toMatchObject({ data: then });
});

test('it refunds in parts, never more than was charged', async () => {
  const { ask, pay } = await shop();
  const aocTransID = await pay('success');
  const refund = (spTransID: string, amount: string) => ask('/api/refund', { spTransID, aocTransID, amount });
  expect(await refund('R1', '30.00')).toMatchObject({
    data: { transactionOperationStatus: 'refunded', amountRefunded: '30.00' },
  });
  expect(await refund('R1', '10.00')).toMatchObject({
    data: { transactionOperationStatus: 'Denied', errorCode: 'AOC1001' },
  });
  expect(await refund('R2', '20.01')).toMatchObject({ data: { transactionOperationStatus: 'Denied' } });
  expect(await ask('/api/refundStatus', { spTransID: 'R1' })).toMatchObject({
    data: { transactionOperationStatus: 'refunded' },
  });
  expect(await ask('/api/refundStatus', { spTransID: 'R2' })).toMatchObject({
    data: { errorCode: 'AOC0001' },
  });
});

test('it gives no token under no_url', async () => {
  const { sandbox, token } = await shop();
  await sandbox.fault({ target: 'dcb', fault: 'no_url' });
  expect((await token()).data).not.toHaveProperty('aocToken');
});

test('it posts a notice to the agreed address, of success only', async () => {
  const { merchant, pay, pageOf, sandbox, token } = await shop();
  await sandbox.call('/_control/ipn', { target: 'dcb', url: `${merchant.url}/ipn` });
  const aocTransID = await pay('success');
  expect(merchant.received.map((callback) => callback.path)).toEqual(['/ipn', '/callback']);
  expect(JSON.parse(merchant.received[0]?.body ?? '')).toMatchObject({
    data: { aocTransID, transactionOperationStatus: 'Charged' },
  });
  await sandbox.call('/_control/pay', { url: pageOf(await token({ spTransID: 'SP2' })), outcome: 'failure' });
  expect(merchant.received.map((callback) => callback.path)).toEqual(['/ipn', '/callback', '/callback']);
});

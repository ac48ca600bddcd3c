import { expect, test } from 'vitest';
import { runSandbox } from '../../test-support/run-sandbox.ts';

type Answer = Record<string, unknown>;
type Product = 'topups' | 'giftcards';

async function customer(product: Product) {
  const sandbox = await runSandbox();
  const config = sandbox.credentials['reloadly'] ?? {};
  const grant = (changes: object = {}) =>
    sandbox.call<Answer>('/oauth/token', {
      client_id: config['client_id'],
      client_secret: config['client_secret'],
      grant_type: 'client_credentials',
      audience: config[`${product}_audience`],
      ...changes,
    });
  const { access_token: token } = await grant();
  const ask = <Shape = Answer>(path: string, body?: object, headers: Record<string, string> = {}) =>
    sandbox.call<Shape>(path, body, { headers: { authorization: `Bearer ${String(token)}`, ...headers } });
  return {
    sandbox,
    grant,
    ask,
    topUp: (changes: object = {}) =>
      ask('/topups', {
        operatorId: 171,
        amount: 2.5,
        useLocalAmount: false,
        customIdentifier: 'unit-1',
        recipientPhone: { countryCode: 'BD', number: '+8801712345678' },
        ...changes,
      }),
    order: (changes: object = {}) =>
      ask('/orders', {
        productId: 11,
        quantity: 1,
        unitPrice: 5,
        senderName: 'Demo shop',
        customIdentifier: 'unit-1',
        ...changes,
      }),
  };
}

test('it grants a day-long token to the right client for a known audience', async () => {
  const { grant } = await customer('topups');
  expect(await grant()).toMatchObject({
    token_type: 'Bearer',
    expires_in: 86_400,
    access_token: expect.stringMatching(/^\w+\.\w+\./),
  });
  expect(await grant({ client_secret: 'wrong' })).toMatchObject({
    errorCode: 'INVALID_CREDENTIALS',
    message: 'Access Denied',
  });
  expect(await grant({ audience: 'https://example.com' })).toMatchObject({ errorCode: 'INVALID_AUDIENCE' });
});

test('it opens no product with the token of another, and says when one has expired', async () => {
  const { ask, sandbox, topUp } = await customer('topups');
  expect(await ask('/products')).toMatchObject({
    errorCode: 'INVALID_TOKEN',
    path: '/products',
    details: [],
  });
  await sandbox.fault({ target: 'partner', fault: 'expired_token', call: 'purchase' });
  expect(await topUp()).toMatchObject({ errorCode: 'TOKEN_EXPIRED' });
  expect(await ask('/accounts/balance')).toMatchObject({ balance: 1_000_000, currencyCode: 'USD' });
});

test('it finds the operator of a number and tells its range', async () => {
  const { ask } = await customer('topups');
  expect(await ask('/operators/auto-detect/phone/+8801812345678/countries/BD')).toMatchObject({
    operatorId: 172,
    localMinAmount: 10,
  });
  expect(await ask('/operators/auto-detect/phone/123/countries/BD')).toMatchObject({
    errorCode: 'COULD_NOT_AUTO_DETECT_OPERATOR',
  });
  expect(await ask('/operators')).toMatchObject({ totalElements: 5, content: expect.arrayContaining([]) });
  expect(await ask('/operators/countries/BD')).toHaveLength(5);
});

test('it tops up, takes the money and finds the order by our identifier in any case', async () => {
  const { ask, topUp } = await customer('topups');
  const topup = await topUp();
  expect(topup).toMatchObject({
    status: 'SUCCESSFUL',
    customIdentifier: 'unit-1',
    recipientPhone: '8801712345678',
    requestedAmount: 2.5,
    deliveredAmount: 300,
    deliveredAmountCurrencyCode: 'BDT',
    pinDetail: null,
    balanceInfo: { oldBalance: 1_000_000, newBalance: 999_997.5 },
  });
  expect(await ask('/topups/reports/transactions?customIdentifier=UNIT-1')).toMatchObject({
    totalElements: 1,
    content: [{ transactionId: topup['transactionId'] }],
  });
  expect(await ask(`/topups/${String(topup['transactionId'])}/status`)).toMatchObject({
    status: 'SUCCESSFUL',
    transaction: {},
  });
});

test.for([
  ['OPERATOR_NOT_FOUND', { operatorId: 1 }],
  ['INVALID_RECIPIENT_PHONE', { recipientPhone: { countryCode: 'BD', number: '12' } }],
  ['COUNTRY_NOT_SUPPORTED', { recipientPhone: { countryCode: 'US', number: '+12025550100' } }],
  ['INVALID_AMOUNT', { amount: -1 }],
  ['INVALID_AMOUNT_FOR_OPERATOR', { amount: 9, useLocalAmount: true }],
  ['INVALID_INPUT_PROVIDED', { customIdentifier: 'x'.repeat(151) }],
] as const)('it answers %s to a top-up it cannot take', async ([errorCode, changes]) => {
  const { topUp } = await customer('topups');
  expect(await topUp(changes)).toMatchObject({ errorCode, infoLink: null });
});

test('it refuses a used identifier later, but not while the first is under way', async () => {
  const { ask, topUp } = await customer('topups');
  await Promise.all([topUp(), topUp()]);
  expect(await topUp()).toMatchObject({ errorCode: 'CUSTOM_IDENTIFIER_ALREADY_USED' });
  expect(await ask('/topups/reports/transactions?customIdentifier=unit-1')).toMatchObject({
    totalElements: 2,
  });
});

test('it hides the transaction of a top-up that is still processing', async () => {
  const { ask, sandbox, topUp } = await customer('topups');
  await sandbox.fault({ target: 'partner', fault: 'processing' });
  await sandbox.fault({ target: 'partner', fault: 'processing', call: 'query' });
  const { transactionId } = await topUp();
  expect(await ask(`/topups/${String(transactionId)}/status`)).toMatchObject({
    status: 'PROCESSING',
    transaction: null,
  });
  expect(await ask(`/topups/${String(transactionId)}/status`)).toMatchObject({ status: 'SUCCESSFUL' });
});

test('it sells gift cards and shows them as a list', async () => {
  const { ask, order } = await customer('giftcards');
  const bought = await order({ quantity: 2 });
  expect(bought).toMatchObject({
    status: 'SUCCESSFUL',
    amount: 10,
    customIdentifier: 'unit-1',
    product: { productId: 11, quantity: 2, unitPrice: 5, totalPrice: 10, brand: { brandName: 'Steam' } },
  });
  const cardsPath = `/orders/transactions/${String(bought['transactionId'])}/cards`;
  const cards = await ask<Answer[]>(cardsPath);
  expect(cards).toMatchObject([{ cardNumber: expect.any(String), pinCode: expect.any(String) }, {}]);
  expect(Object.keys(cards[0] ?? {})).toEqual(['cardNumber', 'pinCode']);
  expect(
    await ask(cardsPath, undefined, { accept: 'application/com.reloadly.giftcards-v2+json' }),
  ).toMatchObject([{ redemptionUrl: null }, {}]);
  expect(await ask('/reports/transactions?customIdentifier=unit-1')).toMatchObject({ totalElements: 1 });
});

test('it lists products, and takes only the prices they have', async () => {
  const { ask, order } = await customer('giftcards');
  expect(await ask('/products?size=2')).toMatchObject({
    totalElements: 5,
    numberOfElements: 2,
    content: [{ denominationType: 'FIXED' }, {}],
  });
  expect(await ask('/countries/US/products')).toHaveLength(5);
  expect(await ask('/products/13')).toMatchObject({ denominationType: 'RANGE', minSenderDenomination: 2 });
  expect(await order({ unitPrice: 6 })).toMatchObject({
    errorCode: null,
    message: expect.stringContaining('unit price'),
  });
  expect(await order({ productId: 99 })).toMatchObject({ message: 'Product not found' });
});

test.for([
  ['out_of_stock', { errorCode: 'OUT_OF_STOCK' }],
  ['declined', { errorCode: 'TRANSACTION_CANNOT_BE_PROCESSED_AT_THE_MOMENT' }],
] as const)('it states a failure under %s and sells nothing', async ([fault, told]) => {
  const { ask, order, sandbox } = await customer('giftcards');
  await sandbox.fault({ target: 'partner', fault });
  expect(await order()).toMatchObject(told);
  expect(await ask('/reports/transactions?customIdentifier=unit-1')).toMatchObject({
    totalElements: 0,
    content: [],
  });
});

test('it succeeds without a card when told to, and has none later either', async () => {
  const { ask, order, sandbox } = await customer('giftcards');
  await sandbox.fault({ target: 'partner', fault: 'no_code' });
  const { transactionId, status } = await order();
  expect(status).toBe('SUCCESSFUL');
  expect(await ask(`/orders/transactions/${String(transactionId)}/cards`)).toEqual([]);
});

test('it answers 404 for the cards of an order that is still processing', async () => {
  const { ask, order, sandbox } = await customer('giftcards');
  await sandbox.fault({ target: 'partner', fault: 'processing' });
  await sandbox.fault({ target: 'partner', fault: 'processing', call: 'query' });
  const { transactionId } = await order();
  const path = `/orders/transactions/${String(transactionId)}/cards`;
  expect(await ask(path)).toMatchObject({ status: 404, error: 'Not Found' });
  expect(await ask(path)).toHaveLength(1);
});

test('it has sold a card although the connection was cut before it could say so', async () => {
  const { ask, order, sandbox } = await customer('giftcards');
  await sandbox.fault({ target: 'partner', fault: 'unknown_result' });
  await expect(order()).rejects.toThrow('fetch failed');
  expect(await ask('/reports/transactions?customIdentifier=unit-1')).toMatchObject({
    content: [{ status: 'SUCCESSFUL' }],
  });
});

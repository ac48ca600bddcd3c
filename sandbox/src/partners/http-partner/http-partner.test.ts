import { expect, test } from 'vitest';
import { runSandbox } from '../../test-support/run-sandbox.ts';

type Answer = Record<string, unknown> & { codes: { code: string }[] };

async function customer() {
  const sandbox = await runSandbox();
  const headers = { 'api-key': sandbox.credentials['partner']?.['api_key'] ?? '' };
  return {
    sandbox,
    buy: (reference: string, changes: object = {}) =>
      sandbox.call<Answer>('/partner/purchases', { reference, sku: 'STEAM-5', ...changes }, { headers }),
    ask: (reference: string) =>
      sandbox.call<Answer>(`/partner/purchases/${reference}`, undefined, { headers }),
    balance: () => sandbox.call<Answer>('/partner/balance', undefined, { headers }),
  };
}

test('it sells a code once for a reference, and takes the money once', async () => {
  const { ask, balance, buy } = await customer();
  const bought = await buy('U1', { unit_cost: '550.25' });
  expect(bought).toMatchObject({
    reference: 'U1',
    status: 'SUCCESSFUL',
    cost: { amount: '550.25', currency: 'BDT' },
    codes: [
      {
        code: expect.stringMatching(/^\w{4}(-\w{4}){3}$/),
        pin: expect.any(String),
        serial_number: expect.any(String),
      },
    ],
  });
  expect(await buy('U1', { unit_cost: '550.25' })).toEqual(bought);
  expect(await ask('U1')).toEqual(bought);
  expect(await balance()).toEqual({ balance: '999449.75', currency: 'BDT' });
});

test('it credits a top-up without a code', async () => {
  const { buy } = await customer();
  expect(await buy('U1', { type: 'topup', recipient: { player_id: '7' } })).toMatchObject({
    status: 'SUCCESSFUL',
    codes: [],
  });
});

test('it knows neither strangers nor references it has not seen, nor half an order', async () => {
  const { ask, buy, sandbox } = await customer();
  expect(await sandbox.call('/partner/balance')).toMatchObject({ error: { code: 'UNAUTHORIZED' } });
  expect(await ask('U9')).toMatchObject({ error: { code: 'NOT_FOUND' } });
  expect(await buy('U1', { quantity: 0 })).toMatchObject({ error: { code: 'INVALID_REQUEST' } });
});

test.for([
  ['out_of_stock', 'OUT_OF_STOCK'],
  ['declined', 'DECLINED'],
] as const)('it states a failure under %s, stands by it, and takes no money', async ([fault, code]) => {
  const { ask, balance, buy, sandbox } = await customer();
  await sandbox.fault({ target: 'partner', fault });
  expect(await buy('U1')).toMatchObject({ status: 'FAILED', error: { code }, codes: [] });
  expect(await ask('U1')).toMatchObject({ status: 'FAILED' });
  expect(await balance()).toMatchObject({ balance: '1000000.00' });
  expect(await buy('U2')).toMatchObject({ status: 'SUCCESSFUL' });
});

test('it has executed a purchase whose answer was cut off, and tells it when asked', async () => {
  const { ask, buy, sandbox } = await customer();
  await sandbox.fault({ target: 'partner', fault: 'unknown_result' });
  await expect(buy('U1')).rejects.toThrow('fetch failed');
  expect(await ask('U1')).toMatchObject({ status: 'SUCCESSFUL', codes: [{}] });
});

test('it is done with what was processing by the time somebody asks, if not told otherwise', async () => {
  const { ask, buy, sandbox } = await customer();
  await sandbox.fault({ target: 'partner', fault: 'processing' });
  expect(await buy('U1')).toMatchObject({ status: 'PROCESSING', codes: [] });
  await sandbox.fault({ target: 'partner', fault: 'processing', call: 'query' });
  expect(await ask('U1')).toMatchObject({ status: 'PROCESSING' });
  expect(await ask('U1')).toMatchObject({ status: 'SUCCESSFUL', codes: [{}] });
});

test('it gives no code, too few, or one given before, on demand', async () => {
  const { buy, sandbox } = await customer();
  await sandbox.fault({ target: 'partner', fault: 'no_code' });
  expect(await buy('U1')).toMatchObject({ status: 'SUCCESSFUL', codes: [] });
  await sandbox.fault({ target: 'partner', fault: 'short_codes' });
  expect((await buy('U2', { quantity: 3 })).codes).toHaveLength(2);
  const [given] = (await buy('U3')).codes;
  await sandbox.fault({ target: 'partner', fault: 'repeat_code' });
  expect((await buy('U4')).codes[0]?.code).toBe(given?.code);
});

test('it reports a balance that is nearly gone, on demand', async () => {
  const { balance, sandbox } = await customer();
  await sandbox.fault({ target: 'partner', fault: 'low_balance' });
  expect(await balance()).toMatchObject({ balance: '5.00' });
});

test('it lets a balance read pass by a fault meant for a purchase', async () => {
  const { balance, buy, sandbox } = await customer();
  await sandbox.fault({ target: 'partner', fault: 'error_500' });
  expect(await balance()).toMatchObject({ balance: '1000000.00' });
  expect(await buy('U1')).toEqual({ message: 'Internal server error' });
});

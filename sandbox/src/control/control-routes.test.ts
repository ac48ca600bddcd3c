import { expect, test } from 'vitest';
import { runSandbox } from '../test-support/run-sandbox.ts';
import type { RunningSandbox } from '../test-support/run-sandbox.ts';

const sendSms = (sandbox: RunningSandbox, init: RequestInit = {}) =>
  fetch(`${sandbox.url}/sms/send`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${sandbox.credentials['sms']?.['api_key']}`,
    },
    body: JSON.stringify({ to: '+8801700000001', text: 'Your code is 123456' }),
    ...init,
  });

test('it arms a fault for a method value, lists it and clears it with times 0', async () => {
  const sandbox = await runSandbox();
  const armed = await sandbox.call('/_control/faults', {
    target: 'gw_aggregator',
    fault: 'no_url',
    times: 2,
    call: 'init',
  });
  expect(armed).toEqual({
    faults: [{ target: 'aggregator', fault: 'no_url', times: 2, call: 'init' }],
  });
  expect(await sandbox.call('/_control/faults', { target: 'aggregator', fault: 'no_url', times: 0 })).toEqual(
    { faults: [] },
  );
});

test('it refuses an unknown target, fault, call or count and lists what it knows', async () => {
  const sandbox = await runSandbox();
  const refuse = async (order: object) => {
    const response = await sandbox.post('/_control/faults', order as Record<string, string>);
    expect(response.status).toBe(400);
    return (await response.json()) as { error: string; allowed?: string[] };
  };
  expect((await refuse({ target: 'paypal', fault: 'no_url' })).allowed).toContain('wallet_direct');
  expect((await refuse({ target: 'sms', fault: 'gremlin' })).allowed).toContain('reject');
  expect((await refuse({ target: 'sms', fault: 'no_url' })).error).toBe('"no_url" cannot meet sms');
  expect((await refuse({ target: 'sms', fault: 'reject', call: 'dance' })).allowed).toContain('verify');
  expect((await refuse({ target: 'sms', fault: 'reject', times: '-1' })).error).toContain('times');
});

test('it takes an SMS with the right key only, and finds it by number without the plus', async () => {
  const sandbox = await runSandbox();
  expect((await sendSms(sandbox, { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
  const sent = await sendSms(sandbox);
  expect(await sent.json()).toMatchObject({ status: 'accepted' });
  const { items } = await sandbox.call<{ items: object[] }>('/_control/sms?to=8801700000001');
  expect(items).toEqual([
    { to: '+8801700000001', text: 'Your code is 123456', receivedAt: expect.any(String) },
  ]);
});

test('it makes exactly the next calls fail, and keeps no SMS it refused', async () => {
  const sandbox = await runSandbox();
  await sandbox.fault({ target: 'sms', fault: 'reject', times: 2 });
  const statuses = [await sendSms(sandbox), await sendSms(sandbox), await sendSms(sandbox)].map(
    ({ status }) => status,
  );
  expect(statuses).toEqual([422, 422, 200]);
  expect(await sandbox.call('/_control/sms')).toMatchObject({ items: [{ to: '+8801700000001' }] });
});

test('it answers 500, HTML or 429 without doing the call', async () => {
  const sandbox = await runSandbox();
  for (const fault of ['error_500', 'html', 'rate_limited']) await sandbox.fault({ target: 'sms', fault });
  const answers = [await sendSms(sandbox), await sendSms(sandbox), await sendSms(sandbox)];
  expect(answers.map(({ status }) => status)).toEqual([500, 200, 429]);
  expect(await answers[1]?.text()).toContain('<!doctype html>');
  expect(await sandbox.call('/_control/sms')).toEqual({ items: [] });
});

test('it does the call, then cuts the connection, when the result is to stay unknown', async () => {
  const sandbox = await runSandbox();
  await sandbox.fault({ target: 'sms', fault: 'unknown_result' });
  await expect(sendSms(sandbox)).rejects.toThrow('fetch failed');
  expect(await sandbox.call('/_control/sms')).toMatchObject({ items: [{ to: '+8801700000001' }] });
});

test('it does the call but holds the answer until the caller gives up', async () => {
  const sandbox = await runSandbox();
  await sandbox.fault({ target: 'sms', fault: 'timeout' });
  await expect(sendSms(sandbox, { signal: AbortSignal.timeout(100) })).rejects.toThrow('timeout');
  expect(await sandbox.call('/_control/sms')).toMatchObject({ items: [{ to: '+8801700000001' }] });
});

test('it closes at once while it holds an answer back', async () => {
  const sandbox = await runSandbox();
  await sandbox.fault({ target: 'sms', fault: 'timeout' });
  const held = sendSms(sandbox).then(
    () => 'answered',
    () => 'cut',
  );
  await expect.poll(() => sandbox.call('/_control/sms')).toMatchObject({ items: [{}] });
  await sandbox.close();
  expect(await held).toMatch(/answered|cut/);
});

test('it lists what it was asked and answered, with the secrets masked', async () => {
  const sandbox = await runSandbox();
  await sendSms(sandbox);
  const key = sandbox.credentials['sms']?.['api_key'] ?? '';
  const ledger = await sandbox.call<{ items: object[] }>('/_control/ledger?target=sms');
  expect(ledger.items).toMatchObject([
    {
      target: 'sms',
      call: 'delivery',
      method: 'POST',
      url: '/sms/send',
      response: { status: 200, body: { status: 'accepted' } },
    },
  ]);
  expect(JSON.stringify(ledger)).not.toContain(key);
  expect(await sandbox.call('/_control/ledger?target=dcb')).toEqual({ items: [] });
});

test('it keeps credentials and armed faults over a restart', async () => {
  const first = await runSandbox();
  await first.fault({ target: 'sms', fault: 'reject', times: 3 });
  await first.close();
  const second = await runSandbox({ dataDir: first.dataDir });
  expect(second.credentials['sms']?.['api_key']).toBe(first.credentials['sms']?.['api_key']);
  expect(await second.call('/_control/faults')).toMatchObject({
    faults: [{ fault: 'reject', times: 3 }],
  });
});

test('it answers 404 to a payment address it does not know, and 400 to an outcome', async () => {
  const sandbox = await runSandbox();
  expect(
    await sandbox.call('/_control/pay', { url: `${sandbox.url}/nowhere`, outcome: 'success' }),
  ).toHaveProperty('error');
  expect(await sandbox.call('/_control/pay', { url: sandbox.url, outcome: 'maybe' })).toMatchObject({
    allowed: ['success', 'failure', 'cancel'],
  });
});

test('it shows people a front page and an SMS page', async () => {
  const sandbox = await runSandbox();
  await sendSms(sandbox);
  expect(await (await fetch(sandbox.url)).text()).toContain('/inbox');
  expect(await (await fetch(`${sandbox.url}/sms`)).text()).toContain('Your code is 123456');
});

test('it lets people arm a fault from the front page, and says why not', async () => {
  const sandbox = await runSandbox();
  const armed = await sandbox.post('/faults', { target: 'dcb', fault: 'no_url', times: '1', call: '' });
  expect(await armed.text()).toContain('<code>no_url</code>');
  const refused = await sandbox.post('/faults', { target: 'smtp', fault: 'no_url', times: '1', call: '' });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain('cannot meet smtp');
});

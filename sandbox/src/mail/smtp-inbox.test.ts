import { expect, test } from 'vitest';
import { runSandbox } from '../test-support/run-sandbox.ts';
import type { RunningSandbox } from '../test-support/run-sandbox.ts';
import { sendMail } from '../test-support/send-mail.ts';
import type { Mail } from './mailbox.ts';

const MESSAGE = [
  'From: Shop <shop@example.com>',
  'To: Buyer <buyer@example.com>',
  'Subject: Your codes',
  'Message-ID: <order-1@example.com>',
  'Content-Type: text/plain',
  '',
  'CODE-1',
].join('\r\n');

const mailOf = async (sandbox: RunningSandbox, to = 'buyer@example.com') =>
  (await sandbox.call<{ items: Mail[] }>(`/_control/mail?to=${to}`)).items;

test('it keeps a message with its recipients, subject, text and Message-ID', async () => {
  const sandbox = await runSandbox();
  const answer = await sendMail(sandbox.smtpUrl, { to: 'Buyer@Example.com', message: MESSAGE });
  expect(answer).toMatch(/^250/);
  const [mail] = await mailOf(sandbox);
  expect(mail).toMatchObject({
    to: 'Buyer@Example.com',
    from: 'shop@example.com',
    subject: 'Your codes',
    text: expect.stringContaining('CODE-1'),
    messageId: '<order-1@example.com>',
  });
  expect(Object.keys(mail ?? {}).toSorted()).toEqual([
    'from',
    'html',
    'messageId',
    'receivedAt',
    'subject',
    'text',
    'to',
  ]);
  expect(await mailOf(sandbox, 'someone@example.com')).toEqual([]);
});

test('it remembers its mail after a restart, until the mailbox is emptied', async () => {
  const first = await runSandbox();
  await sendMail(first.smtpUrl, { to: 'buyer@example.com', message: MESSAGE });
  await first.close();
  const second = await runSandbox({ dataDir: first.dataDir });
  expect(await mailOf(second)).toHaveLength(1);
  await second.call('/_control/mail', undefined, { method: 'DELETE' });
  expect(await mailOf(second)).toEqual([]);
});

test.for([
  ['reject', /^550/, 0],
  ['error_500', /^451/, 0],
] as const)('it answers %s with %s and keeps nothing', async ([fault, answered, kept]) => {
  const sandbox = await runSandbox();
  await sandbox.fault({ target: 'smtp', fault, times: 1 });
  expect(await sendMail(sandbox.smtpUrl, { to: 'buyer@example.com', message: MESSAGE })).toMatch(answered);
  expect(await mailOf(sandbox)).toHaveLength(kept);
  expect(await sendMail(sandbox.smtpUrl, { to: 'buyer@example.com', message: MESSAGE })).toMatch(/^250/);
});

test('it keeps the message but never says so when the result is to stay unknown', async () => {
  const sandbox = await runSandbox();
  await sandbox.fault({ target: 'smtp', fault: 'unknown_result' });
  expect(await sendMail(sandbox.smtpUrl, { to: 'buyer@example.com', message: MESSAGE })).toBeUndefined();
  expect(await mailOf(sandbox)).toHaveLength(1);
});

test('it shows a message to people with its HTML in a closed frame', async () => {
  const sandbox = await runSandbox();
  const message = MESSAGE.replace('text/plain', 'text/html').replace(
    'CODE-1',
    '<b>CODE-1</b><script>evil()</script>',
  );
  await sendMail(sandbox.smtpUrl, { to: 'buyer@example.com', message });
  const inbox = await (await fetch(`${sandbox.url}/inbox`)).text();
  const link = /\/inbox\/\w+/.exec(inbox)?.[0];
  const page = await fetch(`${sandbox.url}${link}`);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const shown = await page.text();
  expect(shown).toContain('sandbox="allow-popups"');
  expect(shown).not.toContain('<script>evil()');
});

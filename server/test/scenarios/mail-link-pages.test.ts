import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { anOperator } from '../support/operator.ts';
import { aCustomer, call, mailsTo } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

async function linkIn(address: string): Promise<string> {
  const mails = await mailsTo(service, address);
  const link = /https?:\/\/\S+/.exec(mails.at(-1)?.text ?? '')?.[0] ?? '';
  return link.replace(/^https?:\/\/[^/]+/, service.url);
}

async function submit(link: string, form: Readonly<Record<string, string>> = {}) {
  const response = await fetch(link, { method: 'POST', body: new URLSearchParams(form) });
  return { status: response.status, text: await response.text() };
}

describe('a link in a letter', () => {
  it('confirms a customer’s address once the button is pressed, and not when a scanner opens it', async () => {
    const customer = await aCustomer(service);
    await call(service, {
      path: '/user/profile',
      method: 'PATCH',
      token: customer.token,
      body: { email: 'new@example.com' },
    });
    const link = await linkIn('new@example.com');
    const isVerified = async () =>
      (await call<{ email_verified: boolean }>(service, { path: '/user/profile', token: customer.token }))
        .data.email_verified;

    const opened = await fetch(link);
    expect([opened.status, opened.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await opened.text()).toContain('This address is mine');
    expect(await isVerified()).toBe(false);

    expect((await submit(link)).text).toContain('is confirmed');
    expect(await isVerified()).toBe(true);
    const again = await submit(link);
    expect([again.status, again.text.includes('role="alert"')]).toEqual([400, true]);
  });

  it('sets an operator’s new password, by the rules of the API', async () => {
    const { adminId } = await anOperator(service);
    const { rows } = await service.db.query<{ email: string }>('SELECT email FROM admins WHERE id = $1', [
      adminId,
    ]);
    const email = rows[0]?.email ?? '';
    await call(service, { path: '/admin/auth/forgot-password', body: { email } });
    await expect.poll(() => linkIn(email)).toContain('/console/reset-password?token=');
    const link = await linkIn(email);

    expect(await (await fetch(link)).text()).toContain('name="new_password"');
    const short = await submit(link, { new_password: 'short' });
    expect([short.status, short.text.includes('at least 8')]).toEqual([400, true]);
    expect((await submit(link, { new_password: 'a brand new password' })).status).toBe(200);
    const signIn = (password: string) =>
      call(service, { path: '/admin/auth/login', body: { email, password } });
    expect((await signIn('a brand new password')).status).toBe(200);
    expect((await submit(link, { new_password: 'another new password' })).status).toBe(400);

    const { rows: audited } = await service.db.query<{ ip: string }>(
      `SELECT ip FROM audit_logs WHERE action = 'admin.password_reset' AND resource_id = $1`,
      [String(adminId)],
    );
    expect(audited.map(({ ip }) => ip)).toEqual(['127.0.0.1']);
  });

  it('shows nothing of what is put into its address', async () => {
    const shown = await fetch(`${service.url}/account/verify-email?token="><script>alert(1)</script>`);
    expect(await shown.text()).not.toContain('<script>');
    expect((await fetch(`${service.url}/console/reset-password`)).status).toBe(200);
  });
});

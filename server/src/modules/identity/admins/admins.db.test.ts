import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { Type } from 'typebox';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { startIdentity } from '../../../../test/support/test-identity.ts';
import type { TestIdentity, TestRequest } from '../../../../test/support/test-identity.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { assertAdminAccess } from '../index.ts';
import { stepAt, totpAt } from '../mfa/totp.ts';

let db: TestDatabase;
let service: TestIdentity;
let elsewhere: TestIdentity;
let root: string;

beforeAll(async () => {
  db = await createTestDatabase();
  service = await startIdentity(db);
  const { clock, tokenKeys } = service;
  elsewhere = await startIdentity(db, { clock, tokenKeys });
  await service.identity.ensureFirstAdmin({ email: 'root@example.com', password: 'root password' });
  root = await logIn('root@example.com', 'root password');
});
afterAll(async () => {
  await service.app.close();
  await elsewhere.app.close();
  await db.drop();
});

const admin = (method: TestRequest['method'], path: string, options: Partial<TestRequest> = {}) =>
  service.call({ method, path: `/admin${path}`, token: root, ...options });

async function logIn(email: string, password: string): Promise<string> {
  const answer = await service.call({ method: 'POST', path: '/admin/auth/login', body: { email, password } });
  const { accessToken }: { accessToken: string } = answer.body.data;
  return accessToken;
}

let count = 0;
async function anAdmin(...roles: string[]) {
  const email = `admin${(count += 1)}@example.com`;
  const password = 'a long password';
  const answer = await admin('POST', '/admins', { body: { name: `Admin ${count}`, email, password, roles } });
  const { id }: { id: number } = answer.body.data;
  return { id, email, password, token: await logIn(email, password) };
}

async function aRole(name: string, permissions: string[], requires_totp = false): Promise<number> {
  const answer = await admin('POST', '/roles', {
    body: { name, description: '', permissions, requires_totp },
  });
  const { id }: { id: number } = answer.body.data;
  return id;
}

const lastAudit = async (type: string) =>
  (
    await db.query<{ action: string; admin_id: number; before: unknown; after: unknown; ip: string }>(
      'SELECT action, admin_id, before, after, ip FROM audit_logs WHERE resource_type = $1 ORDER BY id DESC LIMIT 1',
      [type],
    )
  ).rows[0];

describe('admins', () => {
  it('are created with roles, listed, changed and deleted, each with an audit row', async () => {
    const made = await anAdmin('support');
    expect(await lastAudit('admin')).toMatchObject({ action: 'admin.signed_in' });
    const patched = await admin('PATCH', `/admins/${made.id}`, {
      body: { name: 'Nadia', roles: ['finance'] },
    });
    expect(patched.body.data).toMatchObject({ name: 'Nadia', roles: ['finance'], status: 'active' });
    expect(await lastAudit('admin')).toMatchObject({
      action: 'admin.updated',
      before: { roles: ['support'] },
      after: { roles: ['finance'], name: 'Nadia' },
      ip: '203.0.113.7',
    });
    const list = await admin('GET', '/admins?search=nadia&role=finance');
    expect(list.body.data).toMatchObject({ items: [{ id: made.id }], pagination: { total: 1 } });
    expect((await admin('DELETE', `/admins/${made.id}`)).status).toBe(200);
    expect((await admin('GET', `/admins/${made.id}`)).status).toBe(404);
    expect(JSON.stringify(await lastAudit('admin'))).not.toContain('argon2');
  });

  it('are refused a taken address with 409 and an unknown role with 400', async () => {
    const { email } = await anAdmin('support');
    const body = { name: 'X', email: email.toUpperCase(), password: 'a long password', roles: ['support'] };
    expect((await admin('POST', '/admins', { body })).status).toBe(409);
    const unknown = await admin('POST', '/admins', {
      body: { ...body, email: 'x@example.com', roles: ['emperor'] },
    });
    expect(unknown.body.errors).toEqual([{ field: 'roles', message: expect.stringContaining('emperor') }]);
  });

  it('get 403 without the permission and 401 without a token', async () => {
    const { token } = await anAdmin('support');
    expect((await admin('GET', '/admins', { token })).status).toBe(403);
    const { status, body } = await service.call({ method: 'GET', path: '/admin/admins' });
    expect([status, body.errorCode]).toEqual([401, 'UNAUTHORIZED']);
  });

  it('lose everything at once where they are suspended, and within 5 seconds elsewhere', async () => {
    const { id, token, email, password } = await anAdmin('support');
    const me = (at: TestIdentity) => at.call({ method: 'GET', path: '/admin/me', token });
    expect([(await me(service)).status, (await me(elsewhere)).status]).toEqual([200, 200]);
    expect((await admin('POST', `/admins/${id}/suspend`)).status).toBe(200);
    expect((await me(service)).status).toBe(401);
    service.clock.advance(5);
    expect((await me(elsewhere)).status).toBe(401);
    const login = { method: 'POST', path: '/admin/auth/login', body: { email, password } } as const;
    expect((await service.call(login)).status).toBe(403);
    expect((await admin('POST', `/admins/${id}/reactivate`)).status).toBe(200);
    expect((await service.call(login)).status).toBe(200);
    expect((await me(service)).status).toBe(401);
  });

  it('never suspend, delete or demote the last super_admin, even when two do it to each other at once', async () => {
    const first = await anAdmin('super_admin');
    const second = await anAdmin('super_admin');
    const me = await admin('GET', '/me');
    const { id: rootId }: { id: number } = me.body.data;
    expect((await admin('POST', `/admins/${rootId}/suspend`)).status).toBe(409);
    await db.query("UPDATE admins SET status = 'suspended' WHERE id = $1", [rootId]);
    const answers = await Promise.all([
      admin('POST', `/admins/${second.id}/suspend`, { token: first.token }),
      admin('POST', `/admins/${first.id}/suspend`, { token: second.token }),
    ]);
    const { rows } = await db.query<{ id: number }>(
      "SELECT id FROM admins WHERE status = 'active' AND id = ANY ($1)",
      [[first.id, second.id]],
    );
    await db.query("UPDATE admins SET status = 'active' WHERE id = $1", [rootId]);
    service.clock.advance(5);
    root = await logIn('root@example.com', 'root password');
    expect(rows).toHaveLength(1);
    // The loser is told that it is the last one, or, a moment later, that its session is over.
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.every((answer) => [200, 401, 409].includes(answer.status))).toBe(true);
  });
});

describe('roles', () => {
  it('hold a change for everybody who has them within 5 seconds', async () => {
    const id = await aRole('night_shift', ['orders:read']);
    const { token } = await anAdmin('night_shift');
    const list = (at: TestIdentity) => at.call({ method: 'GET', path: '/admin/admins', token });
    expect((await list(elsewhere)).status).toBe(403);
    const body = { name: 'night_shift', permissions: ['orders:read', 'admins:read'] };
    expect((await admin('PUT', `/roles/${id}`, { body })).status).toBe(200);
    service.clock.advance(5);
    expect((await list(elsewhere)).status).toBe(200);
    expect((await admin('DELETE', `/roles/${id}`)).status).toBe(409);
  });

  it('are no way to more than one has', async () => {
    await aRole('people', ['admins:write', 'roles:write', 'roles:read', 'api_keys:write']);
    const { token, id } = await anAdmin('people');
    const body = { name: 'mighty', permissions: ['refunds:write'] };
    expect((await admin('POST', '/roles', { token, body })).status).toBe(403);
    expect((await admin('PATCH', `/admins/${id}`, { token, body: { roles: ['super_admin'] } })).status).toBe(
      403,
    );
    const victim = await anAdmin('finance');
    expect((await admin('POST', `/admins/${victim.id}/suspend`, { token })).status).toBe(403);
    expect((await admin('POST', `/admins/${victim.id}/reset-mfa`, { token })).status).toBe(403);
    const key = { name: 'key', scopes: ['orders:read'] };
    expect((await admin('POST', '/api-keys', { token, body: key })).status).toBe(403);
    const roles = await admin('GET', '/roles', { token });
    const { items }: { items: { id: number; name: string; permissions: string[] }[] } = roles.body.data;
    const own = items.find((role) => role.name === 'people');
    const grown = { name: 'people', permissions: [...(own?.permissions ?? []), 'vouchers:reveal'] };
    expect((await admin('PUT', `/roles/${own?.id}`, { token, body: grown })).status).toBe(403);
  });

  it('leave super_admin as it is', async () => {
    const { body } = await admin('GET', '/roles');
    const { items }: { items: { id: number; name: string; is_fixed: boolean }[] } = body.data;
    const fixed = items.find((role) => role.is_fixed);
    expect(fixed?.name).toBe('super_admin');
    const shrunk = { name: 'super_admin', permissions: [] };
    const answer = await admin('PUT', `/roles/${fixed?.id}`, { body: shrunk });
    expect(answer.body.data).toMatchObject({ permissions: expect.arrayContaining(['vouchers:reveal']) });
    expect((await admin('PUT', `/roles/${fixed?.id}`, { body: { ...shrunk, name: 'other' } })).status).toBe(
      409,
    );
    expect((await admin('DELETE', `/roles/${fixed?.id}`)).status).toBe(409);
  });
});

describe('the second factor', () => {
  const codeAt = (secret: string, seconds = 0) => {
    const bits = Array.from(secret, (letter) =>
      'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
    );
    const bytes = bits.join('').match(/.{8}/g) ?? [];
    const at = new Date(service.clock.now().getTime() + seconds * 1000);
    return totpAt(Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))), stepAt(at));
  };

  async function withTotp() {
    const made = await anAdmin('support');
    const setup = { token: made.token, body: { password: made.password } };
    const { secret }: { secret: string } = (await admin('POST', '/me/mfa/setup', setup)).body.data;
    const body = { code: codeAt(secret) };
    const confirmed = await admin('POST', '/me/mfa/confirm', { token: made.token, body });
    const { recovery_codes }: { recovery_codes: string[] } = confirmed.body.data;
    service.clock.advance(60);
    return { ...made, secret, recoveryCodes: recovery_codes };
  }

  async function challenge({ email, password }: { email: string; password: string }): Promise<string> {
    const answer = await admin('POST', '/auth/login', { body: { email, password } });
    expect(answer.body.data).not.toHaveProperty('accessToken');
    const { mfaToken }: { mfaToken: string } = answer.body.data;
    return mfaToken;
  }
  const verify = (mfaToken: string, code: string) =>
    admin('POST', '/auth/mfa/verify', { body: { mfaToken, code } });

  it('is asked for after the password, and each code works once', async () => {
    const made = await withTotp();
    const token = await challenge(made);
    expect((await verify(token, '000000')).status).toBe(400);
    const code = codeAt(made.secret);
    const passed = await verify(token, code);
    expect(passed.body.data).toMatchObject({
      accessToken: expect.any(String),
      admin: { totp_enabled: true },
    });
    expect((await verify(token, codeAt(made.secret, 30))).status).toBe(401);
    expect((await verify(await challenge(made), code)).status).toBe(400);
  });

  it('has ten recovery codes that work once each', async () => {
    const made = await withTotp();
    expect(new Set(made.recoveryCodes).size).toBe(10);
    const code = made.recoveryCodes[3] ?? '';
    expect((await verify(await challenge(made), code.toLowerCase())).status).toBe(200);
    expect((await verify(await challenge(made), code)).status).toBe(400);
  });

  it('is guessed at ten times at most', async () => {
    const made = await withTotp();
    const token = await challenge(made);
    for (let n = 0; n < 10; n += 1) expect((await verify(token, '111111')).status).toBe(400);
    expect((await verify(token, codeAt(made.secret))).status).toBe(429);
  });

  it('can be demanded by a role: until there is one, nothing else is permitted', async () => {
    const id = await aRole('careful', ['admins:read'], true);
    const made = await anAdmin('careful');
    expect((await admin('GET', '/admins', { token: made.token })).status).toBe(403);
    expect((await admin('GET', '/me', { token: made.token })).body.data).toMatchObject({
      totp_required: true,
      totp_enabled: false,
      permissions: [],
    });
    const setup = { token: made.token, body: { password: made.password } };
    const { secret }: { secret: string } = (await admin('POST', '/me/mfa/setup', setup)).body.data;
    await admin('POST', '/me/mfa/confirm', { token: made.token, body: { code: codeAt(secret) } });
    expect((await admin('GET', '/admins', { token: made.token })).status).toBe(200);
    expect((await admin('POST', `/admins/${made.id}/reset-mfa`)).status).toBe(200);
    expect((await admin('GET', '/admins', { token: made.token })).status).toBe(403);
    expect(id).toBeGreaterThan(0);
  });

  it('is stored sealed, and recovery codes as digests', async () => {
    const made = await withTotp();
    const { rows } = await db.query<{ row: string }>(
      'SELECT a::text || array_agg(r::text)::text AS row FROM admins a JOIN recovery_codes r ON r.admin_id = a.id WHERE a.id = $1 GROUP BY a.*',
      [made.id],
    );
    expect(rows[0]?.row).not.toContain(made.secret);
    expect(rows[0]?.row).not.toContain((made.recoveryCodes[0] ?? '').replaceAll('-', ''));
  });
});

describe('the admin guard', () => {
  const anEndpoint = (access: Endpoint['access'], path = '/things'): Endpoint =>
    endpoint({
      method: 'GET',
      path,
      access,
      tag: 'T',
      summary: 'S',
      data: Type.Null(),
      handle: async () => null,
    });

  it('refuses to boot with an endpoint that is open, or names no permission of the catalogue', () => {
    expect(() => assertAdminAccess(service.identity.adminEndpoints)).not.toThrow();
    for (const access of ['anonymous', 'client', 'callback', { permission: 'things:read' }] as const) {
      expect(() => assertAdminAccess([anEndpoint(access)])).toThrow(/GET \/things/);
    }
  });
});

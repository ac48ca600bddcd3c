import { inOneStatement } from '../../platform/db/database.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import type { Authenticator } from '../../platform/http/mount.ts';
import type { Sweep } from '../../platform/jobs/sweeps.ts';
import { accountEndpoints } from './accounts/account-routes.ts';
import { parseMsisdn } from './accounts/msisdn.ts';
import { findUser, findUserByMsisdn, insertUser } from './accounts/user-store.ts';
import { ensureFirstAdmin, ensureRoles } from './admins/first-admin.ts';
import { operatorEndpoints } from './operator-routes.ts';
import { createParts } from './parts.ts';
import { identitySweeps } from './tidy.ts';
import type { IdentityDeps, IdentityParts } from './parts.ts';

export { identitySeals } from './mfa/sealed-tables.ts';
export { generateTokenKey } from './tokens/token-keys.ts';
export type { TokenKey, TokenKeys } from './tokens/token-keys.ts';
export { grantablePermissions, initialRoles, isPermission, OWN_ACCOUNT } from './permissions.ts';
export type { Permission } from './permissions.ts';
export { createHttpSmsSender } from './sms/sms-sender.ts';
export type { SmsMessage, SmsSender } from './sms/sms-sender.ts';
export { defaultOtpLimits } from './otp/otp-rules.ts';
export type { OtpLimits } from './otp/otp-rules.ts';
export type { SmsAbuse } from './otp/send-otp.ts';
export type { IdentityDeps } from './parts.ts';
export type { CustomerOrder, CustomerPayment, CustomerRecords } from './customer-records.ts';
export type { MailLetter } from './mail-links/mail-links.ts';
export { assertAdminAccess } from './admins/admin-access.ts';
export { actorKindOf, actorOf, recordAudit, SYSTEM } from './audit/record-audit.ts';
export type { Actor, AuditEntry } from './audit/record-audit.ts';

export interface UserContact {
  readonly email: string | null;
  /** E.164. */
  readonly msisdn: string;
  readonly name: string;
}

export interface Identity {
  readonly clientEndpoints: Endpoint[];
  readonly adminEndpoints: Endpoint[];
  readonly authenticator: Authenticator;
  readonly sweeps: Sweep[];
  /** Call at every start, before the first request: roles that are missing are created. */
  ensureRoles(): Promise<void>;
  ensureFirstAdmin(admin: { email: string; password: string }): Promise<'created' | 'exists'>;
  ensureDemoCustomer(customer: DemoCustomer): Promise<void>;
  /** Undefined for an unknown or closed account. */
  findUserContact(reader: Reader, userId: number): Promise<UserContact | undefined>;
}

export interface DemoCustomer {
  readonly msisdn: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** Who people are and what they may do: accounts, sign-in, tokens, roles, the audit log (interface part 5). */
export function createIdentity(deps: IdentityDeps): Identity {
  const parts = createParts(deps);
  return {
    clientEndpoints: accountEndpoints(parts),
    adminEndpoints: operatorEndpoints(parts),
    authenticator: parts.authenticator,
    sweeps: identitySweeps(parts),
    ensureRoles: () => ensureRoles(parts.db),
    ensureFirstAdmin: (admin) => ensureFirstAdmin(parts, admin),
    ensureDemoCustomer: (customer) => ensureDemoCustomer(parts, customer),
    findUserContact,
  };
}

async function ensureDemoCustomer(parts: IdentityParts, customer: DemoCustomer): Promise<void> {
  const { name, email, password } = customer;
  const msisdn = parseMsisdn(customer.msisdn);
  if (await findUserByMsisdn(parts.db, msisdn)) return;
  const passwordHash = await parts.hasher.hash(password);
  await inOneStatement(parts.db, (tx) => insertUser(tx, { msisdn, name, email, passwordHash }));
}

async function findUserContact(reader: Reader, userId: number): Promise<UserContact | undefined> {
  const user = await findUser(reader, userId);
  if (!user || user.msisdn === null) return undefined;
  return { email: user.email, msisdn: user.msisdn, name: user.name };
}

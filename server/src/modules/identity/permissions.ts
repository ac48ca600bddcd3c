/**
 * What an operator can be allowed to do, as `<resource>:<action>`. The only list: roles, API keys and the `access` of
 * every admin endpoint name entries of it, and an endpoint that names anything else refuses to boot.
 */
const actionsByResource = {
  orders: ['read', 'write', 'recover', 'resend'],
  payments: ['read', 'write'],
  refunds: ['read', 'write'],
  vouchers: ['read', 'write', 'reveal'],
  alerts: ['read', 'write'],
  catalogue: ['read', 'write'],
  partners: ['read', 'write'],
  payment_methods: ['read', 'write'],
  homepage: ['read', 'write'],
  media: ['write'],
  discounts: ['read', 'write'],
  redemption: ['read', 'write', 'export'],
  mail: ['read', 'write'],
  webhooks: ['read', 'write'],
  settings: ['read', 'write'],
  reports: ['read', 'export'],
  users: ['read', 'write', 'anonymise'],
  admins: ['read', 'write'],
  roles: ['read', 'write'],
  api_keys: ['read', 'write'],
  audit: ['read'],
  approvals: ['read', 'write'],
  system: ['read', 'write'],
} as const;

type Catalogue = typeof actionsByResource;
type Grantable = {
  [Resource in keyof Catalogue]: `${Resource}:${Catalogue[Resource][number]}`;
}[keyof Catalogue];

/** Every operator may look after their own account, and nobody else's: no role has it, every sign-in does. */
export const OWN_ACCOUNT = 'account:self';
export type Permission = Grantable | typeof OWN_ACCOUNT;

/** A role with this has every permission there is, those of later releases included. */
export const EVERYTHING = '*';

/** What roles and API keys can be given. */
export const grantablePermissions: readonly Grantable[] = Object.entries(actionsByResource).flatMap(
  ([resource, actions]) => actions.map((action) => `${resource}:${action}` as Grantable),
);

const known: ReadonlySet<string> = new Set<string>([...grantablePermissions, OWN_ACCOUNT]);
export const isPermission = (text: string): text is Permission => known.has(text);

/** What the stored permissions of somebody's roles amount to. Unknown ones (of a removed feature) grant nothing. */
export function permissionsIn(stored: readonly string[]): ReadonlySet<string> {
  if (stored.includes(EVERYTHING)) return known;
  return new Set([...stored.filter(isPermission), OWN_ACCOUNT]);
}

export interface RoleDefinition {
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly (Grantable | typeof EVERYTHING)[];
}

export const SUPER_ADMIN = 'super_admin';

const everyRead = grantablePermissions.filter((permission) => permission.endsWith(':read'));
const salesReads = [
  'orders:read',
  'payments:read',
  'refunds:read',
  'vouchers:read',
  'alerts:read',
  'catalogue:read',
  'partners:read',
  'discounts:read',
  'redemption:read',
  'mail:read',
  'users:read',
] as const;

/** The roles a new installation starts with (decisions part 2). Operators edit them; the next start keeps the edits. */
export const initialRoles: readonly RoleDefinition[] = [
  { name: SUPER_ADMIN, description: 'Everything', permissions: [EVERYTHING] },
  {
    name: 'operations',
    description: 'Orders, recovery, alerts and stock',
    permissions: [
      ...salesReads,
      'orders:write',
      'orders:recover',
      'orders:resend',
      'vouchers:write',
      'vouchers:reveal',
      'alerts:write',
      'partners:write',
      'mail:write',
      'payments:write',
      'reports:read',
      'approvals:read',
      'approvals:write',
      'system:read',
    ],
  },
  {
    name: 'catalogue',
    description: 'Products, prices, brands and what the shop shows',
    permissions: [
      'catalogue:read',
      'catalogue:write',
      'payment_methods:read',
      'homepage:read',
      'homepage:write',
      'media:write',
      'partners:read',
      'vouchers:read',
    ],
  },
  {
    name: 'marketing',
    description: 'Discounts, redemption campaigns and the homepage',
    permissions: [
      'catalogue:read',
      'discounts:read',
      'discounts:write',
      'redemption:read',
      'redemption:write',
      'redemption:export',
      'homepage:read',
      'homepage:write',
      'media:write',
      'reports:read',
    ],
  },
  {
    name: 'finance',
    description: 'Payments, refunds and reports',
    permissions: [
      ...salesReads,
      'payments:write',
      'refunds:write',
      'payment_methods:read',
      'reports:read',
      'reports:export',
      'approvals:read',
      'approvals:write',
    ],
  },
  {
    name: 'support',
    description: 'Reads orders and customers, sends the e-mail again',
    permissions: [...salesReads, 'orders:resend', 'mail:write'],
  },
  { name: 'auditor', description: 'Reads everything, the audit log included', permissions: everyRead },
];

import { Type } from 'typebox';
import type { Static, TSchema } from 'typebox';

/** One thing about the shop that operators may change without a new release. */
export interface SettingDefinition {
  readonly schema: TSchema;
  readonly fallback: unknown;
  /** Shown to everybody by `GET /settings/public`. */
  readonly isPublic: boolean;
  readonly description: string;
}

const shortText = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' });
const optional = (schema: { maxLength: number; format?: string; pattern?: string }) =>
  Type.Unsafe<string | null>({ ...schema, type: ['string', 'null'] });

/** The closed list: a key that is not here is 404, a value that does not fit its schema is 400. */
export const settingDefinitions = {
  shop_name: {
    schema: shortText,
    fallback: 'Voucher shop',
    isPublic: true,
    description: 'The name customers know',
  },
  support_email: {
    schema: optional({ maxLength: 254, format: 'email' }),
    fallback: null,
    isPublic: true,
    description: 'Where customers write to',
  },
  support_phone: {
    schema: optional({ maxLength: 30, pattern: '^\\+?[0-9 ()-]{3,30}$' }),
    fallback: null,
    isPublic: true,
    description: 'Where customers call',
  },
  support_hours: {
    schema: optional({ maxLength: 200 }),
    fallback: null,
    isPublic: true,
    description: 'When somebody answers',
  },
  support_hours_bn: {
    schema: optional({ maxLength: 200 }),
    fallback: null,
    isPublic: true,
    description: 'The same in Bangla',
  },
  notice: {
    schema: optional({ maxLength: 500 }),
    fallback: null,
    isPublic: true,
    description: 'A line above every page: maintenance, delays, holidays. None while null',
  },
  notice_bn: {
    schema: optional({ maxLength: 500 }),
    fallback: null,
    isPublic: true,
    description: 'The same in Bangla',
  },
  show_discount_field: {
    schema: Type.Boolean(),
    fallback: true,
    isPublic: true,
    description: 'Whether the checkout asks for a discount code',
  },
  show_redemption_page: {
    schema: Type.Boolean(),
    fallback: true,
    isPublic: true,
    description: 'Whether the shop links to the page where campaign codes are redeemed',
  },
  show_registration: {
    schema: Type.Boolean(),
    fallback: true,
    isPublic: true,
    description: 'Whether the shop invites visitors to register',
  },
  low_stock_units: {
    schema: Type.Integer({ minimum: 0, maximum: 1_000 }),
    fallback: 5,
    isPublic: false,
    description: 'At so many units or fewer a variant is shown as low in stock',
  },
} as const satisfies Readonly<Record<string, SettingDefinition>>;

export type SettingKey = keyof typeof settingDefinitions;
export type SettingValue<Key extends SettingKey> = Static<(typeof settingDefinitions)[Key]['schema']>;

export const settingKeys = Object.keys(settingDefinitions) as SettingKey[];

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settingDefinitions, key);
}

/** The stored value, or the default. Stored ones were checked when they were written. */
export function settingOf<Key extends SettingKey>(
  stored: Readonly<Record<string, unknown>>,
  key: Key,
): SettingValue<Key> {
  return (Object.hasOwn(stored, key) ? stored[key] : settingDefinitions[key].fallback) as SettingValue<Key>;
}

import { Type } from 'typebox';
import type { Static } from 'typebox';

import { profileSchema, profileToWire } from '../accounts/account-wire.ts';
import type { UserRow } from '../accounts/user-store.ts';
import type { CustomerOrder, CustomerPayment } from '../customer-records.ts';
import {
  customerOrderSchema,
  customerOrderToWire,
  customerPaymentSchema,
  customerPaymentToWire,
} from '../customer-records-wire.ts';
import type { RecipientRow } from '../recipients/recipient-store.ts';
import { recipientSchema, recipientToWire } from '../recipients/recipient-wire.ts';
import type { LiveSessionRow } from '../tokens/session-store.ts';
import { sessionSchema, sessionToWire } from '../tokens/session-wire.ts';
import type { PreferenceValues } from './profile-store.ts';

export const preferencesSchema = Type.Object({
  language: Type.Enum(['en', 'bn']),
  channels: Type.Object({ email: Type.Boolean(), sms: Type.Boolean() }),
  marketing_consent: Type.Boolean(),
});
type Preferences = Static<typeof preferencesSchema>;

export function preferencesToWire(user: UserRow): Preferences {
  return {
    language: user.language,
    channels: { email: user.notify_email, sms: user.notify_sms },
    marketing_consent: user.marketing,
  };
}

export function preferencesFromWire(body: Preferences): PreferenceValues {
  const { language, channels, marketing_consent: marketing } = body;
  return { language, notifyEmail: channels.email, notifySms: channels.sms, marketing };
}

export const exportSchema = Type.Object({
  exported_at: Type.String({ format: 'date-time' }),
  profile: profileSchema,
  preferences: preferencesSchema,
  recipients: Type.Array(recipientSchema),
  sessions: Type.Array(sessionSchema),
  orders: Type.Array(customerOrderSchema),
  payments: Type.Array(customerPaymentSchema),
});

export interface ExportedAccount {
  readonly at: Date;
  readonly user: UserRow;
  readonly recipients: readonly RecipientRow[];
  readonly sessions: readonly LiveSessionRow[];
  readonly orders: readonly CustomerOrder[];
  readonly payments: readonly CustomerPayment[];
}

export function exportToWire(account: ExportedAccount): Static<typeof exportSchema> {
  return {
    exported_at: account.at.toISOString(),
    profile: profileToWire(account.user),
    preferences: preferencesToWire(account.user),
    recipients: account.recipients.map(recipientToWire),
    sessions: account.sessions.map((row) => sessionToWire(row)),
    orders: account.orders.map(customerOrderToWire),
    payments: account.payments.map(customerPaymentToWire),
  };
}

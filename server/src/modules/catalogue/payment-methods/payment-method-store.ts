import type { Reader } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';
import { problemWithMethod } from './payment-method-rules.ts';
import type { MethodRule } from './payment-method-rules.ts';

const list = statement(
  'payment_methods_list_rules',
  `SELECT method, is_active, min_minor, max_minor,
     (maintenance_from IS NOT NULL OR maintenance_until IS NOT NULL)
       AND COALESCE(maintenance_from <= now(), true) AND COALESCE(now() < maintenance_until, true) AS is_in_maintenance
   FROM payment_methods`,
);

/** Says why an amount cannot be paid by a method, or undefined where operators have nothing against it. */
export type RefuseMethod = (method: string, amountMinor: number) => string | undefined;

/** What operators have decided about paying, as of now and not from memory: a method switched off is off at once. */
export async function readMethodRules(reader: Reader): Promise<RefuseMethod> {
  const { rows } = await reader.query<MethodRule>(list);
  return (method, amountMinor) =>
    problemWithMethod(
      rows.find((rule) => rule.method === method),
      { method, amountMinor },
    );
}

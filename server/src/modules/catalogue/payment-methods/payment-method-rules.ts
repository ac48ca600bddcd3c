import { toPlainAmount } from '../../../platform/money.ts';

/** What operators have decided about a payment method. */
export interface MethodRule {
  readonly method: string;
  readonly is_active: boolean;
  readonly is_in_maintenance: boolean;
  readonly min_minor: number | null;
  readonly max_minor: number | null;
}

/**
 * Why an amount cannot be paid by a method. A method without a row is one that nobody has anything against; whether a
 * gateway serves it is another question. Where nothing is to be paid, no method is used.
 */
export function problemWithMethod(
  rule: MethodRule | undefined,
  wanted: { readonly method: string; readonly amountMinor: number },
): string | undefined {
  const { method, amountMinor } = wanted;
  if (!rule || amountMinor === 0) return undefined;
  if (!rule.is_active) return `Payment method ${method} is switched off at the moment`;
  if (rule.is_in_maintenance)
    return `Payment method ${method} is in maintenance: choose another, or try later`;
  if (rule.min_minor !== null && amountMinor < rule.min_minor)
    return `Payment method ${method} takes ${toPlainAmount(rule.min_minor)} BDT or more`;
  if (rule.max_minor !== null && amountMinor > rule.max_minor)
    return `Payment method ${method} takes ${toPlainAmount(rule.max_minor)} BDT or less`;
  return undefined;
}

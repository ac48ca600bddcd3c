import type { RequiredField } from './source-store.ts';

/** One entry of `fields[]` (interface part 2). */
export interface FulfillmentFieldEntry {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly required: boolean;
}

/**
 * A product's fields with what the variant's partners need merged in as required entries (interface part 4, decisions
 * 6.5). The product's own label and type win. At most one identifier stays: another one that a partner names is
 * not asked for.
 */
export function mergePartnerFields(
  own: readonly FulfillmentFieldEntry[],
  declared: readonly RequiredField[],
  isIdentifier: (name: string) => boolean,
): FulfillmentFieldEntry[] {
  const needed = declared.filter(({ required }) => required);
  const merged = own.map(({ name, label, type, required }) => ({
    name,
    label,
    type,
    required: required || needed.some((field) => field.name === name),
  }));
  for (const { name, label, type } of needed) {
    if (isIdentifier(name) || merged.some((field) => field.name === name)) continue;
    merged.push({ name, label, type, required: true });
  }
  return merged;
}

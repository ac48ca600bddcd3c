import type { Language } from '../../platform/language.ts';

/** How the variants of a product are ordered (interface part 4, `GET /products`). */
export const VARIANT_SORTS = ['price', 'sort', 'name'] as const;
export type VariantSort = (typeof VARIANT_SORTS)[number];

interface Sortable {
  readonly id: number;
  readonly name: string;
  readonly price: number;
  readonly sort_order: number;
}

const collators: Readonly<Record<Language, Intl.Collator>> = {
  en: new Intl.Collator('en'),
  bn: new Intl.Collator('bn'),
};

export function compareNames(language: Language, left: string, right: string): number {
  return collators[language].compare(left, right);
}

/**
 * `price`: price, sort_order, id. `sort`: sort_order, id. `name`: name as shown in this language, id. All ascending.
 */
export function sortVariants<V extends Sortable>(
  variants: readonly V[],
  by: VariantSort,
  language: Language,
): V[] {
  return variants.toSorted((a, b) => {
    switch (by) {
      case 'price':
        return a.price - b.price || a.sort_order - b.sort_order || a.id - b.id;
      case 'sort':
        return a.sort_order - b.sort_order || a.id - b.id;
      case 'name':
        return compareNames(language, a.name, b.name) || a.id - b.id;
    }
  });
}

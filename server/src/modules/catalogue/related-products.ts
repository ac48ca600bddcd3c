import type { Shelf, ShelfProduct } from './shelf.ts';

/** A tag in common says more than a brand, a brand more than the same shelf. */
const POINTS = { tag: 3, brand: 2, category: 2, type: 1 } as const;

/** Products with something in common with this one, most in common first; then what is in stock, then `sort_order`. */
export function findRelated(shelf: Shelf, product: ShelfProduct): ShelfProduct[] {
  const tags = new Set(product.row.tags.map(({ id }) => id));
  const pointsFor = ({ row, categoryIds }: ShelfProduct): number =>
    row.tags.filter(({ id }) => tags.has(id)).length * POINTS.tag +
    (row.brand.id === product.row.brand.id ? POINTS.brand : 0) +
    (categoryIds.has(product.row.category.id) ? POINTS.category : 0) +
    (row.product_type.id === product.row.product_type.id ? POINTS.type : 0);
  return shelf.products
    .filter((other) => other !== product)
    .map((other) => ({ other, points: pointsFor(other) }))
    .filter(({ points }) => points > 0)
    .toSorted((a, b) => b.points - a.points || Number(b.other.isInStock) - Number(a.other.isInStock))
    .map(({ other }) => other);
}

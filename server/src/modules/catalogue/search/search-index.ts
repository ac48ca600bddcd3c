import type { CatalogueRows, LabelRow, ProductRow } from '../catalogue-store.ts';
import { similarity, trigramsOf, wordsIn } from './search-text-rules.ts';

/**
 * Full text and trigrams over the catalogue in memory: whole words, beginnings of words and words typed almost right,
 * in both languages at once. Built from the rows when first asked, in some milliseconds for a thousand products.
 *
 * In memory and not in PostgreSQL: the rows are here already, a search costs no round trip, and what it finds is of
 * the same moment as everything else that is shown.
 */
export interface SearchIndex {
  /** Products that have every word of the query, best first; then `sort_order`, `id`. */
  find(query: string): Found[];
}

export interface Found {
  readonly productId: number;
  readonly score: number;
}

/** How much a word says about a product, by where it stands. */
const WEIGHTS = { name: 8, brand: 5, label: 3, variant: 2, description: 1 } as const;
const BEGINNING = 0.75;
const ALMOST = 0.6;
/** Below it two words are not the same word mistyped. One slip of the finger is known by its letters. */
const LEAST_SIMILARITY = 0.34;
/** Shorter words are too alike to be guessed. */
const SHORTEST_GUESSED = 4;
const MOST_WORDS = 10;

interface Term {
  readonly word: string;
  readonly pieces: ReadonlySet<string>;
  /** Product → weight of the best place the word stands in. */
  readonly places: Map<number, number>;
}

export function createSearchIndex(rows: Pick<CatalogueRows, 'products'>): SearchIndex {
  const terms = termsOf(rows.products);
  const inOrder = new Map(rows.products.map(({ id }, at) => [id, at]));
  return {
    find(query) {
      const words = [...new Set(wordsIn(query))].slice(0, MOST_WORDS);
      const scored = words.map((word) => scoresOf(word, terms));
      const [first, ...others] = scored;
      if (!first) return [];
      const found: Found[] = [];
      for (const [productId, score] of first) {
        const more = others.map((scores) => scores.get(productId));
        if (more.every((each) => each !== undefined))
          found.push({ productId, score: more.reduce((sum, each) => sum + each, score) });
      }
      const place = (id: number): number => inOrder.get(id) ?? 0;
      return found.toSorted((a, b) => b.score - a.score || place(a.productId) - place(b.productId));
    },
  };
}

/** Product → how well the word, or one like it, says what it is. */
function scoresOf(word: string, terms: ReadonlyMap<string, Term>): Map<number, number> {
  const scores = new Map<number, number>();
  const count = (term: Term, share: number): void => {
    for (const [id, weight] of term.places) {
      const score = weight * share;
      if (score > (scores.get(id) ?? 0)) scores.set(id, score);
    }
  };
  for (const term of terms.values()) {
    if (term.word === word) count(term, 1);
    else if (term.word.startsWith(word)) count(term, BEGINNING);
  }
  // A guess may not crowd out what was meant.
  if (scores.size > 0 || Array.from(word).length < SHORTEST_GUESSED) return scores;
  const pieces = trigramsOf(word);
  for (const term of terms.values()) {
    const alike = Math.max(similarity(pieces, term.pieces), isOneSlip(word, term.word) ? 0.5 : 0);
    if (alike >= LEAST_SIMILARITY) count(term, ALMOST * alike);
  }
  return scores;
}

/** One letter missing, added, changed, or two neighbours swapped. */
function isOneSlip(typed: string, word: string): boolean {
  const [a, b] = [Array.from(typed), Array.from(word)];
  if (Math.abs(a.length - b.length) > 1 || b.length < SHORTEST_GUESSED) return false;
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}

function termsOf(products: readonly ProductRow[]): Map<string, Term> {
  const terms = new Map<string, Term>();
  const place = (productId: number, weight: number, text: string | null): void => {
    if (text === null) return;
    for (const word of wordsIn(text)) {
      let term = terms.get(word);
      if (!term) terms.set(word, (term = { word, pieces: new Set(trigramsOf(word)), places: new Map() }));
      term.places.set(productId, Math.max(weight, term.places.get(productId) ?? 0));
    }
  };
  const placeNames = (id: number, weight: number, row: Pick<LabelRow, 'name' | 'name_bn'>): void => {
    place(id, weight, row.name);
    place(id, weight, row.name_bn);
  };
  for (const product of products) {
    const { id } = product;
    placeNames(id, WEIGHTS.name, product);
    placeNames(id, WEIGHTS.brand, product.brand);
    for (const label of [product.category, product.product_type, ...product.tags])
      placeNames(id, WEIGHTS.label, label);
    for (const variant of product.variants) placeNames(id, WEIGHTS.variant, variant);
    place(id, WEIGHTS.description, product.description);
    place(id, WEIGHTS.description, product.description_bn);
  }
  return terms;
}

import type { Reader } from '../../platform/db/database.ts';
import type { Clock } from '../../platform/time.ts';
import { createShelf } from './shelf.ts';
import type { Shelf } from './shelf.ts';
import { getCatalogueVersion, readCatalogue } from './catalogue-store.ts';

/** Answers which variants can be had: from the vault's codes, or from a partner's active source. */
export interface Stock {
  readonly listSellableVariants: () => Promise<Set<number>>;
  /** How many codes of a variant can be sold at this moment, counted to `most` and no further. */
  readonly countSellableUnits: (variantId: number, most: number) => Promise<number>;
  /** For operators: what lies in the vault and what it cost. Variants without stock may be left out. */
  readonly listLevels: (variantIds: readonly number[]) => Promise<readonly StockLevel[]>;
}

export interface StockLevel {
  readonly variantId: number;
  readonly availableUnits: number;
  readonly averageCostMinor: number | null;
}

export interface CatalogueSnapshot {
  /** The catalogue in memory, never older than `maxAgeMs`. @throws when the database cannot be asked. */
  current(): Promise<Shelf>;
  /** The next `current()` looks again: call it after a change in this process, and its writer reads its own write. */
  invalidate(): void;
}

export interface SnapshotDeps {
  readonly db: Reader;
  readonly stock: Pick<Stock, 'listSellableVariants'>;
  readonly clock: Clock;
  readonly maxAgeMs?: number;
}

const MAX_AGE_MS = 1_000;

/**
 * The whole active catalogue in memory. At most once in `maxAgeMs`, and only when somebody asks, two cheap questions
 * go to the database (the version, the variants in stock); the rows are read again only when the version has moved.
 * Everybody who asks in the meantime shares that one look.
 */
export function createCatalogueSnapshot(deps: SnapshotDeps): CatalogueSnapshot {
  const maxAgeMs = deps.maxAgeMs ?? MAX_AGE_MS;
  let known: Known | undefined;
  let looking: Promise<Known> | undefined;
  let changes = 0;

  const isFresh = (at: Known): boolean => {
    const ageMs = deps.clock.now().getTime() - at.checkedAtMs;
    return at.changes === changes && ageMs >= 0 && ageMs < maxAgeMs;
  };
  const look = async (): Promise<Known> => {
    const seen = changes;
    const shelf = await readShelf(deps, known?.shelf);
    return { shelf, changes: seen, checkedAtMs: deps.clock.now().getTime() };
  };

  return {
    invalidate() {
      changes += 1;
    },
    async current() {
      if (known && isFresh(known)) return known.shelf;
      for (;;) {
        looking ??= look().finally(() => {
          looking = undefined;
        });
        known = await looking;
        // A look that began before the last change may not have seen it.
        if (known.changes === changes) return known.shelf;
      }
    },
  };
}

interface Known {
  readonly shelf: Shelf;
  /** How many changes had been announced when the look began. */
  readonly changes: number;
  readonly checkedAtMs: number;
}

/** The same object when nothing has changed, so that what was prepared from it is kept. */
async function readShelf(deps: SnapshotDeps, old: Shelf | undefined): Promise<Shelf> {
  const [version, sellable] = await Promise.all([
    getCatalogueVersion(deps.db),
    deps.stock.listSellableVariants(),
  ]);
  const at = deps.clock.now();
  if (old && old.rows.version === version) {
    const isStill = isSameSet(old.sellable, sellable) && at.getTime() < old.goodUntilMs;
    return isStill ? old : createShelf(old.rows, { sellable, at });
  }
  return createShelf(await readCatalogue(deps.db), { sellable, at });
}

function isSameSet(left: ReadonlySet<number>, right: ReadonlySet<number>): boolean {
  return left.size === right.size && [...left].every((id) => right.has(id));
}

export interface Table<Row> {
  get(id: string): Row | undefined;
  /** Stores the row in memory at once and in the ledger with the next flush. */
  put(id: string, row: Row): void;
  rows(): Row[];
  clear(): void;
  /** A look-up by a value of the row, kept up to date; undefined keys are left out. */
  indexBy(keyOf: (row: Row) => string | undefined): (key: string) => Row[];
}

export interface TableLog {
  row(id: string, row: unknown): void;
  cleared(): void;
}

interface Index<Row> {
  keyOf(row: Row): string | undefined;
  ids: Map<string, Set<string>>;
}

/** Rows in memory, insertion order kept, every change told to `log`. */
export function createTable<Row>(stored: ReadonlyMap<string, Row>, log: TableLog): Table<Row> {
  const rows = new Map(stored);
  const indexes: Index<Row>[] = [];

  function add(index: Index<Row>, id: string, row: Row): void {
    const key = index.keyOf(row);
    if (key === undefined) return;
    const ids = index.ids.get(key) ?? new Set();
    index.ids.set(key, ids.add(id));
  }

  function remove(index: Index<Row>, id: string, row: Row): void {
    const key = index.keyOf(row);
    if (key !== undefined) index.ids.get(key)?.delete(id);
  }

  return {
    get: (id) => rows.get(id),
    put(id, row) {
      const before = rows.get(id);
      for (const index of indexes) {
        if (before !== undefined) remove(index, id, before);
        add(index, id, row);
      }
      rows.set(id, row);
      log.row(id, row);
    },
    rows: () => [...rows.values()],
    clear() {
      rows.clear();
      for (const index of indexes) index.ids.clear();
      log.cleared();
    },
    indexBy(keyOf) {
      const index: Index<Row> = { keyOf, ids: new Map() };
      for (const [id, row] of rows) add(index, id, row);
      indexes.push(index);
      return (key) => [...(index.ids.get(key) ?? [])].flatMap((id) => rows.get(id) ?? []);
    },
  };
}

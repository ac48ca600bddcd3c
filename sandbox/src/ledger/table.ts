export interface Table<Row> {
  get(id: string): Row | undefined;
  /** Stores the row in memory at once and in the ledger with the next flush. */
  put(id: string, row: Row): void;
  rows(): Row[];
  size(): number;
  clear(): void;
  /** A look-up by one or more values of the row, kept up to date; undefined is left out. */
  indexBy(keyOf: KeyOf<Row>): (key: string) => Row[];
}

type KeyOf<Row> = (row: Row) => string | undefined | readonly string[];

export interface TableLog {
  row(id: string, row: unknown): void;
  cleared(): void;
}

interface Index<Row> {
  keyOf: KeyOf<Row>;
  ids: Map<string, Set<string>>;
}

/** Rows in memory, insertion order kept, every change told to `log`. */
export function createTable<Row>(stored: ReadonlyMap<string, Row>, log: TableLog): Table<Row> {
  const rows = new Map(stored);
  const indexes: Index<Row>[] = [];

  function add({ keyOf, ids }: Index<Row>, id: string, row: Row): void {
    for (const key of [keyOf(row) ?? []].flat()) ids.set(key, (ids.get(key) ?? new Set<string>()).add(id));
  }

  function remove({ keyOf, ids }: Index<Row>, id: string, row: Row): void {
    for (const key of [keyOf(row) ?? []].flat()) ids.get(key)?.delete(id);
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
    size: () => rows.size,
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

import type { Reader } from '../../../platform/db/database.ts';
import { listCodesAfter } from './code-store.ts';
import type { CodeRow, CodeSelection } from './code-store.ts';

const ROWS_AT_ONCE = 500;

/** Codes in the order of their ids, a piece at a time: the reader sets the pace, and memory stays flat. */
export async function* readCodes(reader: Reader, selection: CodeSelection): AsyncGenerator<CodeRow[]> {
  let afterId = 0;
  for (;;) {
    const rows = await listCodesAfter(reader, selection, { afterId, limit: ROWS_AT_ONCE });
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    if (rows.length < ROWS_AT_ONCE) return;
    afterId = last.id;
  }
}

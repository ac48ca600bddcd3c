import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';

import { plainCell } from '../../../platform/csv-rules.ts';
import { fieldError } from '../../../platform/errors.ts';
import type { Row } from '../../../platform/resource/resource.ts';
import { findUnknownColumns } from './check-file.ts';
import { readCell, transferColumns } from './transfer-columns.ts';

export const MOST_ROWS = 10_000;

export interface TransferFile {
  readonly rows: Row[];
  /** Columns of the file that mean nothing here. */
  readonly ignoredColumns: string[];
}

/**
 * Rows out of a file: JSON when it begins like JSON, else CSV whose first line names the columns. Empty cells say
 * nothing: what is there stays.
 *
 * @throws VALIDATION_ERROR, field `file`.
 */
export function readTransferFile(bytes: Buffer): TransferFile {
  const content = textOf(bytes);
  return /^\s*[[{]/.test(content) ? rowsOfJson(readJson(content)) : readCsv(content);
}

/** `{rows: […]}`, or the rows alone. @throws VALIDATION_ERROR, field `file`. */
export function rowsOfJson(value: unknown): TransferFile {
  const rows = isObject(value) && 'rows' in value ? value['rows'] : value;
  if (!Array.isArray(rows) || !rows.every(isObject))
    throw fieldError('file', 'JSON must be {"rows": [{…}]} or [{…}]');
  refuseTooMany(rows);
  return { rows, ignoredColumns: findUnknownColumns(rows.flatMap((row) => Object.keys(row))) };
}

/** Read as UTF-8 though it is not, a name would go in with its letters replaced. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw fieldError('file', 'The file must be UTF-8; a spreadsheet calls it "CSV UTF-8"');
  }
}

function readJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw fieldError('file', 'The file begins like JSON and cannot be read as such');
  }
}

function readCsv(content: string): TransferFile {
  const [header = [], ...lines] = parseCsv(content);
  const names = header.map((name) => name.trim().toLowerCase());
  if (!names.includes('product_slug'))
    throw fieldError('file', 'The first line must name the columns; product_slug is missing');
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) !== at);
  if (twice !== undefined) throw fieldError('file', `The first line names the column ${twice} twice`);
  refuseTooMany(lines);
  return { rows: lines.map((cells) => toRow(names, cells)), ignoredColumns: findUnknownColumns(names) };
}

function parseCsv(content: string): string[][] {
  try {
    return parse(content, { bom: true, skip_empty_lines: true, relax_column_count: true });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = error['lines'];
    throw fieldError('file', `The file cannot be read${typeof line === 'number' ? ` at line ${line}` : ''}`);
  }
}

function toRow(names: readonly string[], cells: readonly string[]): Row {
  const row: Record<string, unknown> = {};
  for (const { name, kind } of transferColumns) {
    const cell = plainCell(cells[names.indexOf(name)]?.trim() ?? '');
    if (cell !== '') row[name] = readCell(kind, cell);
  }
  return row;
}

function refuseTooMany(rows: readonly unknown[]): void {
  if (rows.length === 0) throw fieldError('file', 'There are no rows');
  if (rows.length > MOST_ROWS) throw fieldError('file', `At most ${MOST_ROWS} rows at once`);
}

function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

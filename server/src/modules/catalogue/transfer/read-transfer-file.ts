import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';

import { plainCell } from '../../../platform/csv-rules.ts';
import { fieldError } from '../../../platform/errors.ts';
import type { Row } from '../../../platform/resource/resource.ts';
import { readCell, transferColumns } from './transfer-columns.ts';

export const MOST_ROWS = 2_000;

/**
 * Rows out of a file: JSON when it begins like JSON, else CSV whose first line names the columns. Empty cells say
 * nothing: what is there stays.
 *
 * @throws VALIDATION_ERROR, field `file`.
 */
export function readTransferFile(bytes: Buffer): Row[] {
  const content = bytes.toString('utf8').replace(/^\uFEFF/, '');
  return /^\s*[[{]/.test(content) ? rowsOfJson(readJson(content)) : readCsv(content);
}

/** `{rows: […]}`, or the rows alone. @throws VALIDATION_ERROR, field `file`. */
export function rowsOfJson(value: unknown): Row[] {
  const rows = isObject(value) && 'rows' in value ? value['rows'] : value;
  if (!Array.isArray(rows) || !rows.every(isObject))
    throw fieldError('file', 'JSON must be {"rows": [{…}]} or [{…}]');
  return refuseTooMany(rows);
}

function readJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw fieldError('file', 'The file begins like JSON and cannot be read as such');
  }
}

function readCsv(content: string): Row[] {
  const [header = [], ...lines] = parseCsv(content);
  const names = header.map((name) => name.trim().toLowerCase());
  if (!names.includes('product_slug'))
    throw fieldError('file', 'The first line must name the columns; product_slug is missing');
  return refuseTooMany(lines.map((cells) => toRow(names, cells)));
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

function refuseTooMany(rows: Row[]): Row[] {
  if (rows.length === 0) throw fieldError('file', 'There are no rows');
  if (rows.length > MOST_ROWS) throw fieldError('file', `At most ${MOST_ROWS} rows at once`);
  return rows;
}

function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

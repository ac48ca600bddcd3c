import type { Readable } from 'node:stream';

import { CsvError, parse } from 'csv-parse';

import { fieldError } from '../../../platform/errors.ts';
import type { ImportRow, UnusableRow } from './import-row.ts';

/** The columns of a stock file (decisions part 3); only `code` must be there. Others are ignored. */
export const IMPORT_COLUMNS = ['code', 'pin', 'redemption_url', 'serial_number', 'expires_at'] as const;
type Column = (typeof IMPORT_COLUMNS)[number];

const LONGEST_ROW_BYTES = 16 * 1024;

/**
 * Reads a CSV file row by row, holding one piece of the file at a time; comma, first line names the columns, byte
 * order mark allowed. A row with misplaced quotes, or with other cells than the first line names, comes out as
 * unusable; so does the place beyond which nothing can be read, as the last row.
 * @throws VALIDATION_ERROR, field `file`, when the first line does not name `code`.
 */
export async function* readImportFile(file: Readable): AsyncGenerator<ImportRow | UnusableRow> {
  const reader = createRowReader();
  for await (const piece of file as AsyncIterable<Buffer | string>) {
    const failure = await reader.feed(piece);
    yield* reader.take();
    if (failure) return yield unreadableFrom(failure);
  }
  const failure = await reader.end();
  yield* reader.take();
  if (failure) return yield unreadableFrom(failure);
  if (!reader.hasHeader()) throw missingColumn();
}

interface RowReader {
  /** @returns what makes reading on impossible. @throws what the first line lacks. */
  feed(piece: Buffer | string): Promise<CsvError | undefined>;
  end(): Promise<CsvError | undefined>;
  /** The rows read since the last time, good and bad in the order of the file. */
  take(): (ImportRow | UnusableRow)[];
  hasHeader(): boolean;
}

/**
 * The parser as a function and not as a stream: a stream that fails throws away what it has read and not yet handed
 * over, and rows before the bad one must not get lost.
 */
function createRowReader(): RowReader {
  const rows: (ImportRow | UnusableRow)[] = [];
  let hasHeader = false;
  let tornLine = 0;
  const parser = parse({
    bom: true,
    columns: (header: string[]) => {
      hasHeader = true;
      return readHeader(header);
    },
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    skip_records_with_error: true,
    trim: true,
    max_record_size: LONGEST_ROW_BYTES,
    on_record: (record: ParsedRecord, info: RecordInfo) => {
      rows.push(toImportRow(record, info));
      return null;
    },
    on_skip: (error) => {
      if (!error || error.code === 'CSV_MAX_RECORD_SIZE')
        throw error ?? new Error('csv-parse skipped a row silently');
      // One torn row can be wrong at several quotes.
      const line = lineOf(error);
      if (line !== tornLine) rows.push({ line, problem: wording(error.code) });
      tornLine = line;
    },
  });
  // Failures arrive through the callbacks below; without a listener they would end the process as well.
  parser.on('error', () => undefined).resume();
  const settle = (act: (done: (error?: Error | null) => void) => void): Promise<CsvError | undefined> =>
    new Promise((resolve, reject) => {
      act((error) => {
        if (error && !(error instanceof CsvError)) reject(error);
        else resolve(error ?? undefined);
      });
    });
  return {
    feed: (piece) => settle((done) => parser.write(piece, done)),
    end: () => settle((done) => parser.end(done)),
    take: () => rows.splice(0),
    hasHeader: () => hasHeader,
  };
}

type ParsedRecord = Partial<Record<Column, string>>;
interface RecordInfo {
  readonly lines: number;
  readonly error?: unknown;
}

function readHeader(header: readonly string[]): string[] {
  const names = header.map((name) =>
    name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_'),
  );
  if (!names.includes('code')) throw missingColumn();
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) !== at);
  if (twice !== undefined) throw fieldError('file', `The column ${twice} is there twice`);
  return names;
}

const missingColumn = () =>
  fieldError('file', `The first line must name the columns (${IMPORT_COLUMNS.join(', ')}); code is missing`);

function toImportRow(record: ParsedRecord, info: RecordInfo): ImportRow | UnusableRow {
  if (info.error !== undefined)
    return { line: info.lines, problem: 'the row has not as many cells as the first line' };
  return {
    line: info.lines,
    code: record.code ?? '',
    pin: record.pin ?? '',
    redemptionUrl: record.redemption_url ?? '',
    serialNumber: record.serial_number ?? '',
    expiresAt: record.expires_at ?? '',
  };
}

/** The parser's own message repeats what stands in the row, so it is not passed on. */
function unreadableFrom(error: CsvError): UnusableRow {
  return { line: lineOf(error), problem: `${wording(error.code)}; the file cannot be read from here on` };
}

function lineOf(error: CsvError): number {
  const lines = error['lines'];
  return typeof lines === 'number' ? lines : 0;
}

function wording(code: string): string {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quote is opened and never closed';
    case 'CSV_MAX_RECORD_SIZE':
      return 'the row is too long, perhaps for want of a closing quote';
    default:
      return 'a quote stands where none may be';
  }
}

import { Readable } from 'node:stream';

import type { FastifyRequest } from 'fastify';

import { fieldError } from '../../../platform/errors.ts';
import { readUploadedForm } from '../../../platform/http/upload.ts';
import { parseMinor } from '../../../platform/money.ts';
import { readImportFile } from '../import/import-file.ts';
import type { ImportRow, UnusableRow } from '../import/import-row.ts';

export const MOST_BYTES = 10 * 1024 * 1024;

export interface BatchRequest {
  readonly variantId: number;
  readonly supplier: string | null;
  readonly invoice: string | null;
  /** What one code cost. */
  readonly costMinor: number | null;
  readonly sourceName: string | null;
  readonly rows: AsyncIterable<ImportRow | UnusableRow> | Iterable<ImportRow | UnusableRow>;
}

/**
 * A batch as JSON, or as a form with a CSV file and the same fields as its other parts (decisions part 3).
 *
 * @throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, BAD_REQUEST
 */
export async function readBatchRequest(request: FastifyRequest): Promise<BatchRequest> {
  if (!request.isMultipart()) return readJson(request.body);
  const { file, fields } = await readUploadedForm(request, { maxBytes: MOST_BYTES });
  return {
    ...readFacts(fields),
    sourceName: file.name || null,
    rows: readImportFile(Readable.from([file.bytes])),
  };
}

function readJson(body: unknown): BatchRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw fieldError('body', 'Send variant_id and codes as JSON, or a CSV file as multipart/form-data');
  }
  const { codes, ...facts } = body as Record<string, unknown>;
  if (!Array.isArray(codes)) throw fieldError('codes', 'codes is required: a list of {code, pin, …}');
  if (codes.length === 0) throw fieldError('codes', 'codes must have at least 1 entries');
  return { ...readFacts(facts), sourceName: null, rows: codes.map(readRow) };
}

function readFacts(given: Readonly<Record<string, unknown>>): Omit<BatchRequest, 'rows' | 'sourceName'> {
  const variantId = Number(given['variant_id']);
  if (!Number.isSafeInteger(variantId) || variantId < 1) {
    throw fieldError('variant_id', 'variant_id is required: the id of the variant that the codes are for');
  }
  return {
    variantId,
    supplier: readText('supplier', given['supplier']),
    invoice: readText('invoice', given['invoice']),
    costMinor: readCost(given['cost']),
  };
}

const LONGEST_TEXT = 200;

function readText(field: string, given: unknown): string | null {
  if (given === undefined || given === null) return null;
  if (typeof given !== 'string') throw fieldError(field, `${field} must be text`);
  if (given.length > LONGEST_TEXT)
    throw fieldError(field, `${field} must be at most ${LONGEST_TEXT} characters`);
  return given.trim() || null;
}

function readCost(given: unknown): number | null {
  if (given === undefined || given === null || given === '') return null;
  const minor = typeof given === 'number' || typeof given === 'string' ? parseMinor(given) : undefined;
  if (minor === undefined)
    throw fieldError('cost', 'cost must be an amount in BDT with at most two decimals');
  return minor;
}

const COLUMNS = {
  pin: 'pin',
  redemption_url: 'redemptionUrl',
  serial_number: 'serialNumber',
  expires_at: 'expiresAt',
} as const;

/** A row that is no code becomes a result like every other: one bad entry must not refuse ten thousand good ones. */
function readRow(given: unknown, index: number): ImportRow | UnusableRow {
  const line = index + 1;
  if (typeof given !== 'object' || given === null)
    return { line, problem: 'the entry is no object with a code' };
  const entry = given as Record<string, unknown>;
  const row: Record<string, string> = {};
  for (const [column, name] of [['code', 'code'], ...Object.entries(COLUMNS)] as const) {
    const value = entry[column];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string' && typeof value !== 'number')
      return { line, problem: `${column} must be text` };
    row[name] = String(value);
  }
  return { code: '', ...row, line };
}

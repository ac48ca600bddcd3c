/** The rules for one row of delivered stock. Pure; a problem never repeats what stands in the row, which is secret. */

/** One row as it was read: text, empty where nothing was given. */
export interface ImportRow {
  /** Where it stands in its file, from 1. */
  readonly line: number;
  readonly code: string;
  readonly pin?: string;
  readonly redemptionUrl?: string;
  readonly serialNumber?: string;
  /** `YYYY-MM-DD`, good through that day in Dhaka, or an ISO 8601 time with its zone. */
  readonly expiresAt?: string;
}

/** A row that cannot be imported, and why. */
export interface UnusableRow {
  readonly line: number;
  readonly problem: string;
}

/** A row that can. */
export interface ImportedCode {
  readonly line: number;
  readonly code: string;
  readonly pin: string | null;
  readonly redemptionUrl: string | null;
  readonly serialNumber: string | null;
  readonly expiresAt: Date | null;
}

const LONGEST_TEXT = 500;
const LONGEST_URL = 2_000;

// A line break or another control character in a code is a torn file, and would tear the e-mail too.
const CONTROL_CHARACTER = /\p{Cc}/u;

export function checkImportRow(row: ImportRow, now: Date): ImportedCode | UnusableRow {
  const { line } = row;
  const code = row.code.trim();
  const [pin, redemptionUrl, serialNumber] = [row.pin, row.redemptionUrl, row.serialNumber].map(orNone);
  if (code === '') return { line, problem: 'code is empty' };
  const problem =
    problemOfText('code', code, LONGEST_TEXT) ??
    problemOfText('pin', pin, LONGEST_TEXT) ??
    problemOfText('serial_number', serialNumber, LONGEST_TEXT) ??
    problemOfText('redemption_url', redemptionUrl, LONGEST_URL) ??
    problemOfUrl(redemptionUrl);
  if (problem !== undefined) return { line, problem };
  const expiresAt = parseExpiry(row.expiresAt);
  if (expiresAt === undefined)
    return { line, problem: 'expires_at must be YYYY-MM-DD or an ISO 8601 time with a zone' };
  if (expiresAt !== null && expiresAt <= now) return { line, problem: 'expires_at is in the past' };
  return {
    line,
    code,
    pin: pin ?? null,
    redemptionUrl: redemptionUrl ?? null,
    serialNumber: serialNumber ?? null,
    expiresAt,
  };
}

function orNone(text: string | undefined): string | null {
  const trimmed = (text ?? '').trim();
  return trimmed === '' ? null : trimmed;
}

function problemOfText(column: string, text: string | null | undefined, longest: number): string | undefined {
  if (text === null || text === undefined) return undefined;
  if (text.length > longest) return `${column} is longer than ${longest} characters`;
  return CONTROL_CHARACTER.test(text) ? `${column} has a line break or another control character` : undefined;
}

function problemOfUrl(text: string | null | undefined): string | undefined {
  if (text === null || text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:'
    ? undefined
    : 'redemption_url is not an http or https address';
}

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME_WITH_ZONE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** @returns null when none is given, undefined when it cannot be read. */
function parseExpiry(given: string | undefined): Date | null | undefined {
  const text = orNone(given);
  if (text === null) return null;
  const day = DAY.test(text);
  if (!day && !TIME_WITH_ZONE.test(text)) return undefined;
  // Dhaka is six hours ahead all year.
  const at = new Date(day ? `${text}T23:59:59.999+06:00` : text.replace(' ', 'T'));
  // The 30th of February is read as the 2nd of March by some engines: a day that does not exist is refused.
  const exists =
    !Number.isNaN(at.getTime()) && (!day || new Date(`${text}T00:00:00Z`).toISOString().startsWith(text));
  return exists ? at : undefined;
}

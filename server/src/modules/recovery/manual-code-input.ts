import { fieldError } from '../../platform/errors.ts';
import { checkImportRow } from '../vouchers/index.ts';
import type { ManualCode } from '../vouchers/index.ts';

/** A code as the request carries it (interface part 4). */
export interface TypedCode {
  readonly code: string;
  readonly pin?: string | null;
  readonly redemptionUrl?: string | null;
  readonly serialNumber?: string | null;
  /** ISO 8601 with a zone, or a day. */
  readonly expiresAt?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly partnerId?: number | null;
}

/** The single-unit shorthand of `manual-code`: `codes` wins when both are given. */
export function typedCodesOf(body: {
  readonly codes?: readonly TypedCode[] | null;
  readonly code?: string | null;
  readonly pin?: string | null;
  readonly redemptionUrl?: string | null;
  readonly serialNumber?: string | null;
}): readonly TypedCode[] {
  if (body.codes && body.codes.length > 0) return body.codes;
  const { code, pin = null, redemptionUrl = null, serialNumber = null } = body;
  return code ? [{ code, pin, redemptionUrl, serialNumber }] : [];
}

/** Whether anything was typed at all: blank codes are none. */
export function hasCode(codes: readonly TypedCode[]): boolean {
  return codes.some(({ code }) => code.trim() !== '');
}

/**
 * Checks codes as the import of a file does, so that what is delivered by hand is as clean as what lay in the stock.
 *
 * @param codes.field where they stand in the request.
 * @param codes.partnerId of the item, for codes without their own; 0 is none (interface part 2).
 * @throws VALIDATION_ERROR
 */
export function checkTypedCodes(
  codes: { readonly typed: readonly TypedCode[]; readonly field: string; readonly partnerId: number | null },
  now: Date,
): ManualCode[] {
  return codes.typed.map((typed, index) => {
    const row = checkImportRow(
      {
        line: index + 1,
        code: typed.code,
        pin: typed.pin ?? '',
        redemptionUrl: typed.redemptionUrl ?? '',
        serialNumber: typed.serialNumber ?? '',
        expiresAt: typed.expiresAt ?? '',
      },
      now,
    );
    if ('problem' in row)
      throw fieldError(`${codes.field}.${index}`, `${codes.field}.${index}: ${row.problem}`);
    const { line: _line, ...code } = row;
    return {
      ...code,
      metadata: typed.metadata ?? {},
      partnerId: (typed.partnerId ?? codes.partnerId) || null,
    };
  });
}

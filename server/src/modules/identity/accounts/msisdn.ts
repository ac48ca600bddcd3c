import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { Type } from 'typebox';

import { msisdnUnreadable } from '../errors.ts';
import { asciiDigits } from '../otp/otp-rules.ts';

/** A mobile number in a request; `must be at least 10 characters` is the interface's message (part 2, User). */
export const msisdnSchema = Type.String({
  minLength: 10,
  maxLength: 24,
  description: 'Mobile number, national (01XXXXXXXXX) or with its country code (+8801XXXXXXXXX)',
});

/**
 * Reads a number as people write it, Bangladesh where no country is given, into E.164.
 * Only its length is checked against the numbering plan: operators open new ranges faster than libraries learn of them.
 * @throws AppError VALIDATION_ERROR naming `field`.
 */
export function parseMsisdn(text: string, field = 'msisdn'): string {
  const parsed = parsePhoneNumberFromString(asciiDigits(text.trim()), 'BD');
  if (!parsed?.isPossible()) throw msisdnUnreadable(field);
  return parsed.number;
}

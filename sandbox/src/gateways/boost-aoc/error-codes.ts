/** The vendor's codes that this stand-in can answer, with their short texts. */
const MESSAGES = {
  '00': '',
  AOC0001: 'Invalid parameter',
  AOC0002: 'Invalid state',
  AOC0003: 'Invalid token',
  AOC1001: 'Duplicate spTransID',
  AOC1004: 'Transaction cancelled by user',
  AOC1005: 'Operator is missing',
  AOC1007: 'Charging or refund failed',
  AOC1012: 'Transaction denied',
} as const;

export type AocErrorCode = keyof typeof MESSAGES;

export function outcomeOf(errorCode: AocErrorCode) {
  return { errorCode, errorMessage: MESSAGES[errorCode] };
}

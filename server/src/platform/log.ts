import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';

export type { Logger } from 'pino';

/**
 * Names that never reach a log line, wherever they stand in what is logged. Bodies are never logged at all
 * (see http/server.ts); this is the second line of defence.
 */
const SECRET_NAMES = [
  'code',
  'codes',
  'pin',
  'voucher_code',
  'voucher_codes',
  'actual_voucher_code',
  'redemption_url',
  'redemptionUrl',
  'serial_number',
  'serialNumber',
  'password',
  'current_password',
  'new_password',
  'otp',
  'otp_code',
  'otpCode',
  'otpToken',
  'token',
  'accessToken',
  'refreshToken',
  'authorization',
  'store_passwd',
  'secret',
] as const;

const paths = SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** One JSON line per event on stdout. Levels as pino's; `silent` for tests. */
export function createLog(options: { level: string; destination?: DestinationStream }): Logger {
  const settings = {
    level: options.level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths, censor: '[secret]' },
    serializers: { err: describeError },
  };
  return options.destination ? pino(settings, options.destination) : pino(settings);
}

/** Never the driver's `detail`, which quotes the row; its SQLSTATE under a name that is not redacted. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, constraint } = error as Error & { code?: unknown; constraint?: unknown };
  const { name: type, message, stack, cause } = error;
  return { type, message, stack, errno: code, constraint, ...(cause ? { cause: describeError(cause) } : {}) };
}

import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';

export type { Logger } from 'pino';

/**
 * Names that never reach a log line, wherever they stand in what is logged. Bodies are never logged at all
 * (see http/server.ts); this is the second line of defence.
 */
const SECRET_NAMES: ReadonlySet<string> = new Set([
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
]);

/** Deeper than anything is logged; what lies below is not shown. */
const DEEPEST = 8;

/**
 * The same with every secret name's value hidden, in lists and at any depth. Ours and not the logger's `redact`, which
 * knows paths of a fixed depth and took a quarter of the CPU of an answer from memory.
 */
function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return '[too deep]';
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  // Errors, dates and the like write themselves.
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      SECRET_NAMES.has(name) ? '[secret]' : withoutSecrets(each, depth + 1),
    ]),
  );
}

const hideSecrets = (facts: Record<string, unknown>): Record<string, unknown> =>
  withoutSecrets(facts) as Record<string, unknown>;

/** One JSON line per event on stdout. Levels as pino's; `silent` for tests. */
export function createLog(options: { level: string; destination?: DestinationStream }): Logger {
  const settings = {
    level: options.level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }), log: hideSecrets },
    serializers: { err: describeError },
  };
  const log = options.destination ? pino(settings, options.destination) : pino(settings);
  // oxlint-disable-next-line typescript/unbound-method -- called below with whichever logger is asked for a child
  const makeChild = log.child;
  // What a child is bound to passes no formatter of ours; children of children come through here too.
  log.child = function childWithoutSecrets(
    this: Logger,
    bindings: Record<string, unknown>,
    ...rest: never[]
  ) {
    return makeChild.call(this, hideSecrets(bindings), ...rest);
  } as typeof makeChild;
  return log;
}

/** Never the driver's `detail`, which quotes the row; its SQLSTATE under a name that is not redacted. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, constraint } = error as Error & { code?: unknown; constraint?: unknown };
  const { name: type, message, stack, cause } = error;
  return { type, message, stack, errno: code, constraint, ...(cause ? { cause: describeError(cause) } : {}) };
}

/**
 * Names whose values never reach the audit log, at any depth. An entry shows that a secret changed, never what it was.
 */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'code',
  'codes',
  'pin',
  'serial_number',
  'redemption_url',
  'voucher_code',
  'voucher_codes',
  'actual_voucher_code',
  'code_provided',
  'partner_response',
  'password',
  'password_hash',
  'current_password',
  'new_password',
  'otp',
  'otp_code',
  'token',
  'access_token',
  'refresh_token',
  'secret',
  'totp_secret',
  'recovery_codes',
  'api_key',
  'key',
  'authorization',
]);

const MASK = '[masked]';
const MAX_DEPTH = 8;

const normalised = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_');

/**
 * A copy with secrets masked and everything turned into plain JSON.
 * @param publicNames names that are no secret here, for example the `code` of a discount.
 */
export function maskSecrets(value: unknown, publicNames: readonly string[] = []): unknown {
  return mask(JSON.parse(JSON.stringify(value ?? null)), new Set(publicNames), 0);
}

function mask(value: unknown, publicNames: ReadonlySet<string>, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return MASK;
  if (Array.isArray(value)) return value.map((entry) => mask(entry, publicNames, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => {
      const isSecret = SECRET_NAMES.has(normalised(name)) && !publicNames.has(name);
      return [name, isSecret && entry !== null ? MASK : mask(entry, publicNames, depth + 1)];
    }),
  );
}

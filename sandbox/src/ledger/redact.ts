const SECRET_NAMES = new Set(
  [
    'store_passwd password app_key app_secret id_token refresh_token authorization x-app-key api-key x-api-key',
    'apikey api_key client_secret access_token aoctoken token merchant_private_key secret',
  ]
    .join(' ')
    .split(' '),
);

const REDACTED = '[redacted]';

/** A copy of a JSON-like value with every secret field masked, at any depth. */
export function redact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redact);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      SECRET_NAMES.has(name.toLowerCase()) && inner !== '' ? REDACTED : redact(inner),
    ]),
  );
}

/** A path and query with the values of secret parameters masked. */
export function redactUrl(pathAndQuery: string): string {
  const [path = '', query] = pathAndQuery.split(/\?(.*)/s, 2);
  if (query === undefined) return path;
  const parts = query.split('&').map((part) => {
    const name = part.split('=', 1)[0] ?? '';
    return SECRET_NAMES.has(name.toLowerCase()) ? `${name}=${REDACTED}` : part;
  });
  return `${path}?${parts.join('&')}`;
}

const CHARACTERS = 300;

/** What the caller's program calls itself, cut to a length that is worth keeping. */
export function userAgentOf(request: {
  readonly headers: { readonly 'user-agent'?: string | undefined };
}): string | null {
  return request.headers['user-agent']?.slice(0, CHARACTERS) ?? null;
}

import { fieldError } from '../../../platform/errors.ts';

/**
 * The part of a link before `/redeem/<code>`, without a trailing slash.
 * @throws AppError VALIDATION_ERROR, field `base_url`, for anything but a plain http or https address.
 */
export function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    (url?.protocol === 'https:' || url?.protocol === 'http:') &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === '';
  if (!url || !isPlain)
    throw fieldError('base_url', 'base_url must be an http or https address without query');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Where a token leads (interface part 4). Tokens need no escaping: letters and digits only. */
export function redeemUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/redeem/${token}`;
}

const PORTS = new Set(['', '443', '8443']);

/** What is wrong with a URL before anybody asks where its name leads; undefined when nothing is. */
export function problemWithUrl(text: string, rules: { readonly allowPrivate: boolean }): string | undefined {
  const url = URL.parse(text);
  if (!url) return 'url must be an absolute URL';
  if (url.protocol !== 'https:' && !(rules.allowPrivate && url.protocol === 'http:'))
    return 'url must begin with https://';
  if (url.username || url.password) return 'url must not hold a user name or password';
  if (url.hash) return 'url must not have a fragment';
  if (!rules.allowPrivate && !PORTS.has(url.port)) return 'url must use port 443 or 8443';
  return undefined;
}

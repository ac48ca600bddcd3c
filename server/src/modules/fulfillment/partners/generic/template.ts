/** Values that templates may name: `{reference}`, `{input.player_id}`. */
export type Values = Readonly<Record<string, unknown>>;

const WHOLE = /^\{([\w.]+)\}$/;
const PLACEHOLDER = /\{([\w.]+)\}/g;

/** The value at a dotted path; numbers step into lists. Undefined when something on the way is missing. */
export function valueAt(from: unknown, dotted: string | undefined): unknown {
  if (dotted === undefined) return undefined;
  let at: unknown = from;
  for (const step of dotted.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[step];
  }
  return at;
}

/** A template with its placeholders filled: one that is a placeholder alone keeps the value's type. */
export function fill(template: unknown, values: Values): unknown {
  if (Array.isArray(template)) return template.map((entry) => fill(entry, values));
  if (typeof template === 'object' && template !== null) {
    return Object.fromEntries(Object.entries(template).map(([name, entry]) => [name, fill(entry, values)]));
  }
  if (typeof template !== 'string') return template;
  const whole = WHOLE.exec(template)?.[1];
  return whole === undefined
    ? fillText(template, values, (value) => value)
    : (valueAt(values, whole) ?? null);
}

/** The same for a path: what is filled in cannot leave its segment. */
export function fillPath(template: string, values: Values): string {
  return fillText(template, values, encodeSegment);
}

/** Addresses are tidied up on their way: a segment of dots would climb, encoded or not. */
const encodeSegment = (value: string): string => (/^\.{1,2}$/.test(value) ? '' : encodeURIComponent(value));

function fillText(template: string, values: Values, encode: (value: string) => string): string {
  return template.replaceAll(PLACEHOLDER, (_whole, name: string) => {
    const value = valueAt(values, name);
    return encode(typeof value === 'string' || typeof value === 'number' ? String(value) : '');
  });
}

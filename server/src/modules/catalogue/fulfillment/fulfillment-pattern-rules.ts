/**
 * Which regular expressions may judge what a buyer types. An expression can take longer than the age of the universe
 * on a short text when it can match in too many ways, so the ways are counted before it is ever run. Pure.
 */

export const LONGEST_PATTERN = 200;
/** The longest value an expression is run on, in code points; `check-fulfillment-input.ts` refuses longer ones first. */
export const LONGEST_VALUE = 255;
/** Three open ends (`.+@.+[.].+`) are fine; they meet at most some three million ways in 255 characters. */
const MOST_WAYS = 20_000_000;
const MOST_REPEATS = 1_000;

/**
 * Why the pattern cannot be used, or undefined when it can. Literals, classes, groups, alternatives and quantifiers
 * are understood; references back and looking ahead or behind are not.
 */
export function problemWithPattern(pattern: string): string | undefined {
  if (pattern.length > LONGEST_PATTERN) return `must be at most ${LONGEST_PATTERN} characters`;
  try {
    // oxlint-disable-next-line no-new -- whether it compiles is the question
    new RegExp(wholly(pattern), 'u');
  } catch {
    return 'is not a regular expression';
  }
  const reader = { text: pattern, at: 0 };
  try {
    const ways = waysOfAlternatives(reader);
    // `)` alone closes the group that every pattern is put in.
    if (reader.at < pattern.length) return 'is not a regular expression';
    return ways > MOST_WAYS
      ? 'can match in too many ways: repeat no group that repeats or chooses something itself'
      : undefined;
  } catch (error) {
    if (error instanceof NotUnderstood) return error.message;
    throw error;
  }
}

/** The pattern as one that only the whole value matches. */
export function wholly(pattern: string): string {
  return `^(?:${pattern})$`;
}

class NotUnderstood extends Error {}

interface PatternReader {
  readonly text: string;
  at: number;
}

const next = (reader: PatternReader): string => reader.text.charAt(reader.at);

/** `a|b`: the ways of each, added up. */
function waysOfAlternatives(reader: PatternReader): number {
  let ways = waysOfSequence(reader);
  while (next(reader) === '|') {
    reader.at += 1;
    ways += waysOfSequence(reader);
  }
  return ways;
}

/** `ab`: any way of the one with any way of the other. */
function waysOfSequence(reader: PatternReader): number {
  let ways = 1;
  while (reader.at < reader.text.length && next(reader) !== '|' && next(reader) !== ')') {
    const once = waysOfAtom(reader);
    ways *= waysOfRepeating(once, readQuantifier(reader));
  }
  return ways;
}

function waysOfAtom(reader: PatternReader): number {
  if (next(reader) === '(') return waysOfGroup(reader);
  const { text, at } = reader;
  if (/^\\(?:[1-9]|k)/.test(text.slice(at))) throw new NotUnderstood('must not refer back to a group');
  const atom =
    /^(?:\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\.|.)/su.exec(
      text.slice(at),
    );
  reader.at += atom?.[0].length ?? 1;
  return 1;
}

function waysOfGroup(reader: PatternReader): number {
  const opening = /^\((\?:|\?<[A-Za-z_]\w*>)?/.exec(reader.text.slice(reader.at))?.[0] ?? '(';
  reader.at += opening.length;
  if (next(reader) === '?') throw new NotUnderstood('must not look ahead or behind');
  const ways = waysOfAlternatives(reader);
  reader.at += 1;
  return ways;
}

interface Repeats {
  readonly least: number;
  readonly most: number;
}

function readQuantifier(reader: PatternReader): Repeats {
  const match = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(reader.text.slice(reader.at));
  if (!match) return { least: 1, most: 1 };
  reader.at += match[0].length;
  const sign = match[0].charAt(0);
  if (sign === '*') return { least: 0, most: LONGEST_VALUE };
  if (sign === '+') return { least: 1, most: LONGEST_VALUE };
  if (sign === '?') return { least: 0, most: 1 };
  const least = Number(match[1]);
  if (match[2] === '') return bounded(least, least);
  return match[3] === '' ? bounded(least, Math.max(least, LONGEST_VALUE)) : bounded(least, Number(match[3]));
}

function bounded(least: number, most: number): Repeats {
  if (most > MOST_REPEATS) throw new NotUnderstood(`must not repeat more than ${MOST_REPEATS} times`);
  return { least, most };
}

/** Every possible number of times is a way of its own. */
function waysOfRepeating(once: number, { least, most }: Repeats): number {
  if (once === 1) return most - least + 1;
  let ways = 0;
  for (let times = least; times <= most && ways <= MOST_WAYS; times += 1) ways += once ** times;
  return ways;
}

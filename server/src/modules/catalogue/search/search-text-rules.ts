/** How text becomes words that can be compared, for English and Bangla alike. Pure. */

const BANGLA_ZERO = '০'.charCodeAt(0);
/** Joiners change how Bangla letters are drawn and not which word it is; keyboards disagree about them. */
const JOINERS = /[\u200c\u200d]/g;
/** Letters with their marks (Bangla vowel signs are marks) and digits make words. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Lower case, one spelling for each letter, Latin digits for Bangla ones, accents off Latin letters. */
export function foldText(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(JOINERS, '')
    .replaceAll(/[০-৯]/g, (digit) => String(digit.charCodeAt(0) - BANGLA_ZERO))
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase();
}

export function wordsIn(text: string): string[] {
  return foldText(text).match(WORD) ?? [];
}

/** The three-letter pieces of a word with its edges: ` he`, `hel`, `ell`, … as pg_trgm cuts them. */
export function trigramsOf(word: string): string[] {
  const padded = ` ${word} `;
  const letters = Array.from(padded);
  const pieces = new Set<string>();
  for (let at = 0; at + 3 <= letters.length; at += 1) pieces.add(letters.slice(at, at + 3).join(''));
  return [...pieces];
}

/** Shared pieces by all pieces: 1 for the same word, 0 for words with nothing in common. */
export function similarity(left: readonly string[], right: ReadonlySet<string>): number {
  const shared = left.filter((piece) => right.has(piece)).length;
  return shared === 0 ? 0 : shared / (left.length + right.size - shared);
}

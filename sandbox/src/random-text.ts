import { randomInt } from 'node:crypto';

const DIGITS = '0123456789';
const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function randomFrom(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

export const randomDigits = (length: number): string => randomFrom(DIGITS, length);
/** Capital letters and digits. */
export const randomCapitals = (length: number): string => randomFrom(CAPITALS, length);
/** Letters of both cases and digits. */
export const randomLetters = (length: number): string => randomFrom(LETTERS, length);

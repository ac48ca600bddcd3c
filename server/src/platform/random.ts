import { randomBytes, randomInt, randomUUID } from 'node:crypto';

/** Randomness is an argument, so that tests can own it. The only production source is the operating system's CSPRNG. */
export interface Random {
  /** `length` characters of `alphabet`, each equally likely (no modulo bias). */
  text(alphabet: string, length: number): string;
  bytes(length: number): Buffer;
  uuid(): string;
}

/** The 31 characters of redemption codes and order numbers: nothing that reads like another (interface part 4). */
export const READABLE_ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

export const systemRandom: Random = {
  text: (alphabet, length) => {
    let text = '';
    for (let i = 0; i < length; i += 1) text += alphabet.charAt(randomInt(alphabet.length));
    return text;
  },
  bytes: (length) => randomBytes(length),
  uuid: () => randomUUID(),
};

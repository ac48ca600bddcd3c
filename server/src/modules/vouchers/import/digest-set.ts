/** Digests that were seen, by half of each: 128 bits do not meet by chance. */
export interface DigestSet {
  /** @returns whether it is new. */
  readonly add: (digest: Buffer) => boolean;
}

const WORDS = 4;
const FIRST_SLOTS = 1_024;

/**
 * An open table of 32 bytes at most for each digest: a Set of texts takes four times that, and a file of a million
 * codes is to be read in flat memory.
 */
export function createDigestSet(): DigestSet {
  let slots = new Uint32Array(FIRST_SLOTS * WORDS);
  let used = 0;
  const store = (words: readonly number[]): boolean => {
    const at = findSlot(slots, words);
    if (at < 0) return false;
    slots.set(words, at);
    return true;
  };
  const grow = (): void => {
    const earlier = slots;
    slots = new Uint32Array(earlier.length * 2);
    for (let at = 0; at < earlier.length; at += WORDS) {
      const words = [...earlier.subarray(at, at + WORDS)];
      if (words.some((word) => word !== 0)) store(words);
    }
  };
  return {
    add(digest) {
      const isNew = store([0, 4, 8, 12].map((offset) => digest.readUInt32LE(offset)));
      if (isNew) used += 1;
      if (used * 2 * WORDS > slots.length) grow();
      return isNew;
    },
  };
}

/** Where these words may be put: the first free place after their own; -1 when they are there. */
function findSlot(slots: Uint32Array, words: readonly number[]): number {
  const mask = slots.length / WORDS - 1;
  for (let slot = (words[0] ?? 0) & mask; ; slot = (slot + 1) & mask) {
    const at = slot * WORDS;
    const isEmpty =
      (slots[at] ?? 0) === 0 && slots[at + 1] === 0 && slots[at + 2] === 0 && slots[at + 3] === 0;
    if (isEmpty) return at;
    if (words.every((word, index) => slots[at + index] === word)) return -1;
  }
}

import type { SecretBox } from '../../../platform/secret-box.ts';
import type { ImportedCode } from './import-row.ts';
import type { SealedCode } from './voucher-import-store.ts';
import { voucherContexts } from '../voucher-secrets.ts';

/** Rows that are written together: memory stays flat and locks are short. */
export const CHUNK_ROWS = 1_000;

export async function* inChunks<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  size: number,
): AsyncGenerator<Item[]> {
  let chunk: Item[] = [];
  for await (const item of items) {
    chunk.push(item);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Half of a digest, to notice repeats: 128 bits do not meet by chance. */
export const keyOf = (digest: Buffer): string => digest.toString('latin1', 0, 16);

/** A code that may be stored, with its digest. */
export interface Candidate {
  readonly code: ImportedCode;
  readonly digest: Buffer;
}

export function sealCandidate(box: SecretBox, { code, digest }: Candidate): SealedCode {
  const optional = (text: string | null, context: string): Buffer | null =>
    text === null ? null : box.seal(text, context);
  return {
    codeSealed: box.seal(code.code, voucherContexts.code),
    codeDigest: digest,
    pinSealed: optional(code.pin, voucherContexts.pin),
    redemptionUrlSealed: optional(code.redemptionUrl, voucherContexts.redemptionUrl),
    serialNumberSealed: optional(code.serialNumber, voucherContexts.serialNumber),
    expiresAt: code.expiresAt,
  };
}

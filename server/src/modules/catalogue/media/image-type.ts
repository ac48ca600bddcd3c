/** What a picture is, by its first bytes: names and declared types are the sender's word only. */

export interface ImageType {
  readonly extension: string;
  readonly contentType: string;
}

interface Signature extends ImageType {
  readonly at: number;
  readonly bytes: readonly number[];
}

const ascii = (text: string): number[] => [...Buffer.from(text, 'latin1')];

// SVG is not among them: it is a document that can run scripts.
const SIGNATURES: readonly Signature[] = [
  { extension: 'png', contentType: 'image/png', at: 0, bytes: [0x89, ...ascii('PNG\r\n\x1a\n')] },
  { extension: 'jpg', contentType: 'image/jpeg', at: 0, bytes: [0xff, 0xd8, 0xff] },
  { extension: 'gif', contentType: 'image/gif', at: 0, bytes: ascii('GIF87a') },
  { extension: 'gif', contentType: 'image/gif', at: 0, bytes: ascii('GIF89a') },
  { extension: 'webp', contentType: 'image/webp', at: 8, bytes: ascii('WEBP') },
  { extension: 'avif', contentType: 'image/avif', at: 4, bytes: ascii('ftypavif') },
];

/** The least that any of these formats needs for a picture of one dot. */
const SMALLEST_BYTES = 24;

export function imageTypeOf(file: Uint8Array): ImageType | undefined {
  if (file.length < SMALLEST_BYTES) return undefined;
  const found = SIGNATURES.find(({ at, bytes }) => bytes.every((byte, index) => file[at + index] === byte));
  if (found?.extension === 'webp' && !ascii('RIFF').every((byte, index) => file[index] === byte))
    return undefined;
  return found && { extension: found.extension, contentType: found.contentType };
}

export function contentTypeOf(extension: string): string | undefined {
  return SIGNATURES.find((signature) => signature.extension === extension)?.contentType;
}

import { createHash } from 'node:crypto';

import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';

import type { Reader } from '../../../platform/db/database.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { csvLine } from '../codes/csv-rules.ts';
import { readPrintedCodes } from './printed-code.ts';
import type { PrintedCode, Printing } from './printed-code.ts';
import { toPng, toSvg } from './qr-image.ts';

export type QrFormat = 'svg' | 'png';

interface ManifestEntry {
  readonly file: string;
  readonly serial: number;
  readonly code: string;
  readonly url: string;
  readonly sha256: string;
}

const README = `One QR code for each code, in qr/. Print them black on white, not smaller than they are, and leave the white
border: scanners need it. manifest.csv lists file, serial, code and link for a print shop's variable-data software;
manifest.json says the same with checksums. The codes open the redeem page; what they give is not in here.
`;

/** A ZIP file in pieces: one picture for each code, and a manifest. */
export async function* writeQrZip(
  deps: { readonly db: Reader; readonly box: SecretBox },
  printing: Printing,
  format: QrFormat,
): AsyncGenerator<Uint8Array> {
  const zip = createZip();
  const manifest: ManifestEntry[] = [];
  zip.add('README.txt', Buffer.from(README));
  for await (const printed of readPrintedCodes(deps, printing)) {
    const file = `qr/${printed.token}.${format}`;
    const picture = format === 'png' ? toPng(printed.matrix) : Buffer.from(toSvg(printed.matrix));
    zip.add(file, picture, { isCompressed: format === 'png' });
    manifest.push(entryOf(printed, file, picture));
    yield* zip.take();
  }
  zip.add('manifest.csv', Buffer.from(toCsv(manifest)));
  zip.add('manifest.json', Buffer.from(toJson(printing, format, manifest)));
  zip.end();
  yield* zip.take();
}

function entryOf({ serial, token, url }: PrintedCode, file: string, picture: Buffer): ManifestEntry {
  const sha256 = createHash('sha256').update(picture).digest('hex');
  return { file, serial, code: token, url, sha256 };
}

function toCsv(manifest: readonly ManifestEntry[]): string {
  const lines = manifest.map(({ file, serial, code, url }) => csvLine([file, String(serial), code, url]));
  return csvLine(['file', 'serial', 'code', 'url']) + lines.join('');
}

function toJson(printing: Printing, format: QrFormat, files: readonly ManifestEntry[]): string {
  const { campaign, baseUrl } = printing;
  return JSON.stringify({
    campaign: { id: campaign.id, name: campaign.name },
    base_url: baseUrl,
    format,
    count: files.length,
    files,
  });
}

interface ZipWriter {
  add(name: string, content: Uint8Array, options?: { isCompressed: boolean }): void;
  end(): void;
  /** What has been written since the last time. */
  take(): Uint8Array[];
}

function createZip(): ZipWriter {
  let written: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    written.push(piece);
  });
  return {
    add(name, content, options) {
      const file = options?.isCompressed ? new ZipPassThrough(name) : new ZipDeflate(name, { level: 6 });
      zip.add(file);
      file.push(content, true);
    },
    end: () => zip.end(),
    take() {
      const pieces = written;
      written = [];
      return pieces;
    },
  };
}

import { createHash } from 'node:crypto';

import { csvLine } from '../codes/csv-rules.ts';
import type { PrintTask, PrintWriter } from './print-task.ts';
import { toPrintedCode } from './printed-code.ts';
import type { PrintedCode } from './printed-code.ts';
import { toPng, toSvg } from './qr-image.ts';
import { createZip } from './zip-writer.ts';

export type QrFormat = 'svg' | 'png';

const README = `One QR code for each code, in qr/. Print them black on white, not smaller than they are, and leave the white
border: scanners need it. manifest.csv lists file, serial, code and link for a print shop's variable-data software;
manifest.json says the same with checksums. The codes open the redeem page; what they give is not in here.
`;

/** A ZIP file: one picture for each code, and a manifest. */
export function startQrZip(task: PrintTask, { format }: { readonly format: QrFormat }): PrintWriter {
  const zip = createZip(new Date(task.printedAt));
  const manifest = startManifest(task, format);
  zip.add('README.txt', Buffer.from(README));
  return {
    add(token) {
      const printed = toPrintedCode(manifest.count() + 1, token, task.baseUrl);
      const file = `qr/${token}.${format}`;
      const picture = format === 'png' ? toPng(printed.matrix) : Buffer.from(toSvg(printed.matrix));
      zip.add(file, picture, { isCompressed: format === 'png' });
      manifest.add(printed, file, picture);
    },
    take: () => zip.take(),
    async end() {
      zip.add('manifest.csv', Buffer.from(manifest.toCsv()));
      zip.add('manifest.json', Buffer.from(manifest.toJson()));
      zip.end();
      return zip.take();
    },
  };
}

interface Manifest {
  add(printed: PrintedCode, file: string, picture: Uint8Array): void;
  count(): number;
  toCsv(): string;
  toJson(): string;
}

/** Kept as the text it will be: fifty thousand entries as objects take several times as much. */
function startManifest({ campaign, baseUrl }: PrintTask, format: QrFormat): Manifest {
  const csv = [csvLine(['file', 'serial', 'code', 'url'])];
  const json: string[] = [];
  return {
    add({ serial, token, url }, file, picture) {
      const sha256 = createHash('sha256').update(picture).digest('hex');
      csv.push(csvLine([file, String(serial), token, url]));
      json.push(JSON.stringify({ file, serial, code: token, url, sha256 }));
    },
    count: () => json.length,
    toCsv: () => csv.join(''),
    toJson() {
      const about = { campaign: { id: campaign.id, name: campaign.name }, base_url: baseUrl, format };
      const head = JSON.stringify({ ...about, count: json.length }).slice(0, -1);
      return `${head},"files":[\n${json.join(',\n')}\n]}\n`;
    },
  };
}

import { redeemUrl } from '../codes/link-rules.ts';
import { encodeQr } from './qr-matrix.ts';
import type { QrMatrix } from './qr-matrix.ts';

/** One code as it goes on paper. */
export interface PrintedCode {
  /** From 1, in the order of printing. */
  readonly serial: number;
  readonly token: string;
  readonly url: string;
  readonly matrix: QrMatrix;
}

export function toPrintedCode(serial: number, token: string, baseUrl: string): PrintedCode {
  const url = redeemUrl(baseUrl, token);
  return { serial, token, url, matrix: encodeQr(url) };
}

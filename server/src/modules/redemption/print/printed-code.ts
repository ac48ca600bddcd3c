import { setImmediate } from 'node:timers/promises';

import type { Reader } from '../../../platform/db/database.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import type { CodeSelection } from '../codes/code-store.ts';
import { redeemUrl } from '../codes/link-rules.ts';
import { readCodes } from '../codes/read-codes.ts';
import { redemptionContexts } from '../redemption-secrets.ts';
import { encodeQr } from './qr-matrix.ts';
import type { QrMatrix } from './qr-matrix.ts';

/** One code as it goes on paper. The voucher code behind it never does, so it is not even read. */
export interface PrintedCode {
  /** From 1, in the order of printing. */
  readonly serial: number;
  readonly token: string;
  readonly url: string;
  readonly matrix: QrMatrix;
}

/** What one print is made of, whatever its form. */
export interface Printing {
  readonly selection: CodeSelection;
  readonly total: number;
  readonly baseUrl: string;
  readonly campaign: {
    readonly id: number;
    readonly name: string;
    readonly headline: string | null;
    readonly cta_text: string | null;
  };
}

/** Encoding takes a third of a millisecond: after this many, others get their turn. */
const CODES_PER_TURN = 8;

export async function* readPrintedCodes(
  deps: { readonly db: Reader; readonly box: SecretBox },
  printing: Printing,
): AsyncGenerator<PrintedCode> {
  let serial = 0;
  for await (const rows of readCodes(deps.db, printing.selection)) {
    for (const row of rows) {
      serial += 1;
      if (serial % CODES_PER_TURN === 0) await setImmediate();
      const token = deps.box.open(row.token_sealed, redemptionContexts.token);
      const url = redeemUrl(printing.baseUrl, token);
      yield { serial, token, url, matrix: encodeQr(url) };
    }
  }
}

import type { SheetPreset } from './sheet-layout-rules.ts';

/** What a file of printable codes is made of, apart from the codes. It crosses to a worker, so it is plain. */
export interface PrintTask {
  readonly form:
    | { readonly kind: 'zip'; readonly format: 'svg' | 'png' }
    | { readonly kind: 'sheet'; readonly preset: SheetPreset; readonly cutLines: boolean };
  readonly total: number;
  /** ISO 8601. */
  readonly printedAt: string;
  readonly baseUrl: string;
  readonly campaign: {
    readonly id: number;
    readonly name: string;
    readonly headline: string | null;
    readonly cta_text: string | null;
  };
}

/** Builds a file code by code. Only tokens ever come in: what a code reveals cannot get on paper. */
export interface PrintWriter {
  add(token: string): void;
  /** What can be sent by now. */
  take(): Uint8Array[];
  /** The rest. */
  end(): Promise<Uint8Array[]>;
}

/**
 * Draws QR codes beside the program: ten thousand of them are seconds of computing, which customers would wait for, and
 * the memory of a thread can be limited. Answers each batch of tokens with what there is to send.
 */
import { parentPort, workerData } from 'node:worker_threads';

import type { PrintTask, PrintWriter } from './print-task.ts';

/** Tokens to be added, or null: there are no more. */
export type PrintRequest = readonly string[] | null;

/** Only what is needed is loaded: the PDF library alone is 15 MB. */
async function startWriter(task: PrintTask): Promise<PrintWriter> {
  if (task.form.kind === 'zip') return (await import('./qr-zip.ts')).startQrZip(task, task.form);
  return (await import('./print-sheet.ts')).startSheet(task, task.form);
}

async function answer(writer: PrintWriter, tokens: PrintRequest): Promise<Uint8Array<ArrayBuffer>> {
  if (tokens === null) return joined(await writer.end());
  for (const token of tokens) writer.add(token);
  return joined(writer.take());
}

/** In memory of its own, which can be handed over; buffers made by Node share theirs. */
function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((bytes, piece) => bytes + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

const writer = await startWriter(workerData as PrintTask);
parentPort?.on('message', (tokens: PrintRequest) => {
  void answer(writer, tokens).then((bytes) => parentPort?.postMessage(bytes, [bytes.buffer]));
});

/**
 * Draws QR codes in a process of its own: ten thousand of them are seconds of computing, which customers would wait for.
 * The first message is the task; each later one a batch of tokens, answered with what there is to send.
 */
import type { PrintTask, PrintWriter } from './print-task.ts';

export interface PrintRequest {
  /** Null: there are no more. */
  readonly tokens: readonly string[] | null;
}

/** Only what is needed is loaded: the PDF library alone is 15 MB. */
async function startWriter(task: PrintTask): Promise<PrintWriter> {
  if (task.form.kind === 'zip') return (await import('./qr-zip.ts')).startQrZip(task, task.form);
  return (await import('./print-sheet.ts')).startSheet(task, task.form);
}

let writer: Promise<PrintWriter> | undefined;

async function answer(writing: Promise<PrintWriter>, { tokens }: PrintRequest): Promise<void> {
  const target = await writing;
  for (const token of tokens ?? []) target.add(token);
  process.send?.(Buffer.concat(tokens === null ? await target.end() : target.take()));
}

process.on('message', (message: PrintTask | PrintRequest) => {
  if (writer === undefined) writer = startWriter(message as PrintTask);
  else void answer(writer, message as PrintRequest);
});

import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';

/** A port on 127.0.0.1 that is free now: `wanted` when it still is, else one the system picks. */
export async function findFreePort(wanted: number): Promise<number> {
  return (await tryPort(wanted)) ?? (await tryPort(0)) ?? 0;
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
}

/** The port of the last start; 0 when there was none. */
export async function readPort(file: string): Promise<number> {
  const port = Number(await readFile(file, 'utf8').catch(() => '0'));
  return Number.isInteger(port) && port > 1023 && port < 65536 ? port : 0;
}

export async function rememberPort(file: string, port: number): Promise<void> {
  await writeFile(file, String(port), { mode: 0o600 });
}

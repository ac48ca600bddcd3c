import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { freePort } from './test-service.ts';
import type { TestService } from './test-service.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

/** The service as a process of its own, which can be killed. */
export interface ServiceProcess {
  readonly url: string;
  /** @returns its exit code; null when the signal ended it. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts `serve` on this world's database, keys and sandbox; resolves when it is ready. */
export async function startServiceProcess(
  world: Pick<TestService, 'db' | 'dataDir' | 'sandboxUrl'>,
  port?: number,
): Promise<ServiceProcess> {
  const ownPort = port ?? (await freePort());
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(ownPort),
      DATABASE_URL: world.db.url,
      DATA_DIR: world.dataDir,
      SANDBOX_URL: world.sandboxUrl,
      LOG_LEVEL: 'error',
      THROTTLE_SCALE: '1000',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => resolve(code));
  });
  let output = '';
  const ready = new Promise<void>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      if (output.includes('Ready after')) return;
      output += chunk.toString();
      if (output.includes('Ready after')) resolve();
    });
  });
  const failed = ended.then((code) => {
    throw new Error(`the service ended with ${code} before it was ready:\n${output}`);
  });
  failed.catch(() => undefined);
  await Promise.race([ready, failed]);
  return {
    url: `http://127.0.0.1:${ownPort}`,
    kill(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

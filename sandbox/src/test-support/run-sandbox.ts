import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { startSandbox } from '../index.ts';
import type { SandboxOptions } from '../index.ts';

export interface RunningSandbox {
  url: string;
  smtpUrl: string;
  dataDir: string;
  credentials: Record<string, Record<string, string>>;
  /** Sends JSON to a path, or GETs it, and reads the JSON answer. */
  call<Answer = Record<string, unknown>>(path: string, body?: unknown, init?: RequestInit): Promise<Answer>;
  post(path: string, form: Record<string, string>): Promise<Response>;
  fault(order: Record<string, unknown>): Promise<void>;
  close(): Promise<void>;
}

/** Making RSA keys is slow; one set serves every sandbox of a test file. */
let knownCredentials: string | undefined;

export async function freshDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sandbox-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  if (knownCredentials !== undefined) await writeFile(join(dataDir, 'credentials.json'), knownCredentials);
  return dataDir;
}

/** Starts a sandbox on free ports; it is closed when the test ends, if not before. */
export async function runSandbox(options: Partial<SandboxOptions> = {}): Promise<RunningSandbox> {
  const dataDir = options.dataDir ?? (await freshDataDir());
  const sandbox = await startSandbox({
    host: '127.0.0.1',
    port: 0,
    smtpPort: 0,
    ...options,
    dataDir,
  });
  knownCredentials ??= await readFile(join(dataDir, 'credentials.json'), 'utf8');
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= sandbox.close());
  onTestFinished(close);

  async function call<Answer>(path: string, body?: unknown, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(new URL(path, sandbox.url), {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      ...init,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(init.headers as object),
      },
    });
    return (await response.json()) as Answer;
  }

  return {
    ...sandbox,
    dataDir,
    credentials: await call('/_control/credentials'),
    call,
    post: (path, form) =>
      fetch(new URL(path, sandbox.url), { method: 'POST', body: new URLSearchParams(form) }),
    fault: async (order) => void (await call('/_control/faults', order)),
    close,
  };
}

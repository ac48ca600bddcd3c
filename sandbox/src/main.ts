import { startSandbox } from './index.ts';

const { SANDBOX_PORT, SANDBOX_SMTP_PORT, DATA_DIR, HOST } = process.env;

const sandbox = await startSandbox({
  host: HOST ?? '127.0.0.1',
  port: Number(SANDBOX_PORT ?? 3001),
  smtpPort: Number(SANDBOX_SMTP_PORT ?? 3025),
  dataDir: `${DATA_DIR ?? '.data'}/sandbox`,
  log: (line) => process.stdout.write(`${line}\n`),
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void sandbox.close().then(() => process.exit(0)));
}

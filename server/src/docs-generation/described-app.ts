import { join } from 'node:path';

import { startSandbox } from '@voucher-commerce/sandbox';

import { buildApp } from '../app.ts';
import type { App } from '../app.ts';
import { findOutside } from '../commands/outside.ts';
import { readConfig } from '../config.ts';
import { loadKeys } from '../keys.ts';
import type { Database } from '../platform/db/database.ts';
import { createLog } from '../platform/log.ts';
import { systemClock } from '../platform/time.ts';

/**
 * The service as it stands when everything is configured, to be described and not to be called: the defaults of the
 * configuration whatever the environment says, and every gateway and partner by the sandbox's own settings.
 */
export async function buildDescribedApp(options: {
  readonly db: Database;
  /** For keys and settings that are made and thrown away. */
  readonly folder: string;
  readonly version: string;
}): Promise<App> {
  const { db, folder, version } = options;
  const config = readConfig({ DATA_DIR: folder });
  const sandbox = await startSandbox({
    host: '127.0.0.1',
    port: 0,
    smtpPort: 0,
    dataDir: join(folder, 'sandbox'),
  });
  try {
    return buildApp({
      config,
      db,
      log: createLog({ level: 'silent' }),
      clock: systemClock,
      keys: await loadKeys(config),
      version,
      migrations: [],
      outside: await findOutside(config, sandbox.url),
    });
  } finally {
    await sandbox.close();
  }
}

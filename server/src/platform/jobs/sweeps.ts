import pg from 'pg';

import type { Logger } from '../log.ts';

/** Work that is due by the clock: it finds what a lost callback, a dead worker or a passed deadline left behind. */
export interface Sweep {
  readonly name: string;
  readonly everySeconds: number;
  /** May run twice at once after a lost connection: its effects are guarded writes like any job's. */
  run(): Promise<void>;
}

const SWEEP_LOCK = 726_502;
const CAMPAIGN_EVERY_MS = 2_000;

/**
 * Runs the sweeps in one process of all that share the database: the one that holds an advisory lock. When it dies,
 * PostgreSQL frees the lock and another takes over within two seconds.
 */
export function startSweeps(options: { url: string; log: Logger; sweeps: readonly Sweep[] }): {
  stop(): Promise<void>;
} {
  const { url, log, sweeps } = options;
  let stopped = false;
  let leader: pg.Client | undefined;
  const running = new Set<Promise<void>>();
  const due = new Map(sweeps.map((sweep) => [sweep.name, 0]));

  const tick = async (): Promise<void> => {
    if (!leader) leader = await standForLeader(url, () => (leader = undefined));
    if (!leader || stopped) return;
    const now = Date.now();
    for (const sweep of sweeps) {
      if ((due.get(sweep.name) ?? 0) > now) continue;
      due.set(sweep.name, Number.POSITIVE_INFINITY);
      const work = runSweep(sweep, log).finally(() => {
        due.set(sweep.name, Date.now() + sweep.everySeconds * 1000);
        running.delete(work);
      });
      running.add(work);
    }
  };

  let ticking: Promise<void> = Promise.resolve();
  const timer = setInterval(
    () => {
      ticking = ticking.then(tick).catch((error: unknown) => log.warn({ err: error }, 'sweeps paused'));
    },
    Math.min(CAMPAIGN_EVERY_MS, 1_000),
  );
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await ticking;
      await Promise.all(running);
      await leader?.end();
    },
  };
}

async function runSweep(sweep: Sweep, log: Logger): Promise<void> {
  try {
    await sweep.run();
  } catch (error) {
    log.error({ err: error, sweep: sweep.name }, 'sweep failed; it runs again at its next turn');
  }
}

async function standForLeader(url: string, onLost: () => void): Promise<pg.Client | undefined> {
  const client = new pg.Client({ connectionString: url, application_name: 'sweep-leader' });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ won: boolean }>('SELECT pg_try_advisory_lock($1) AS won', [
    SWEEP_LOCK,
  ]);
  if (rows[0]?.won !== true) {
    await client.end();
    return undefined;
  }
  client.on('end', onLost);
  return client;
}

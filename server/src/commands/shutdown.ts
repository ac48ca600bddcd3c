export interface Shutdown {
  /** What to stop, last added first. */
  add(name: string, stop: () => Promise<void>): void;
  run(): Promise<void>;
}

const LONGEST_MS = 20_000;

/**
 * Ends what was started, in reverse order, at SIGINT or SIGTERM; a second signal, or twenty seconds, ends it at once.
 */
export function createShutdown(): Shutdown {
  const stops: { name: string; stop: () => Promise<void> }[] = [];
  let running: Promise<void> | undefined;

  const run = (): Promise<void> => (running ??= stopAll(stops));
  const onSignal = (signal: NodeJS.Signals): void => {
    if (running) process.exit(1);
    console.error(`\n${signal}: stopping`);
    setTimeout(() => process.exit(1), LONGEST_MS).unref();
    void run().then(() => process.exit(0));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return { add: (name, stop) => stops.push({ name, stop }), run };
}

async function stopAll(stops: { name: string; stop: () => Promise<void> }[]): Promise<void> {
  for (const { name, stop } of stops.toReversed()) {
    try {
      await stop();
    } catch (error) {
      console.error(`  ${name} did not stop cleanly: ${(error as Error).message}`);
    }
  }
}

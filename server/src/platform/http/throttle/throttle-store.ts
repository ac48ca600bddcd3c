import type { Clock } from '../../time.ts';

/** How often something was done in the window that began with the first time. */
export interface WindowCount {
  readonly count: number;
  /** Seconds until the window ends and the count starts again. */
  readonly resetSeconds: number;
}

/** Counts in windows of fixed length, each from its first request on. */
export interface ThrottleStore {
  /** Counts one more. */
  take(key: string, windowSeconds: number): Promise<WindowCount>;
  /** Counts nothing. */
  peek(key: string): Promise<WindowCount>;
  close(): Promise<void>;
}

// About 10 MB: a flood of addresses must not be a flood of memory.
const MAX_KEYS = 100_000;

interface Window {
  count: number;
  readonly endsAt: number;
}

/** Counts of this process alone: the default, and what is left when Redis is away. */
export function createMemoryStore(clock: Clock): ThrottleStore {
  const windows = new Map<string, Window>();

  function makeRoom(now: number): void {
    for (const [key, window] of windows) if (window.endsAt <= now) windows.delete(key);
    // All of them live: forget the oldest tenth rather than everybody.
    const excess = windows.size - MAX_KEYS * 0.9;
    let dropped = 0;
    for (const key of windows.keys()) {
      if (dropped >= excess) break;
      windows.delete(key);
      dropped += 1;
    }
  }

  const seen = (window: Window | undefined, now: number): WindowCount =>
    window && window.endsAt > now
      ? { count: window.count, resetSeconds: Math.ceil((window.endsAt - now) / 1000) }
      : { count: 0, resetSeconds: 0 };

  return {
    async take(key, windowSeconds) {
      const now = clock.now().getTime();
      let window = windows.get(key);
      if (!window || window.endsAt <= now) {
        if (windows.size >= MAX_KEYS) makeRoom(now);
        window = { count: 0, endsAt: now + windowSeconds * 1000 };
        windows.delete(key);
        windows.set(key, window);
      }
      window.count += 1;
      return seen(window, now);
    },
    peek: async (key) => seen(windows.get(key), clock.now().getTime()),
    close: async () => windows.clear(),
  };
}

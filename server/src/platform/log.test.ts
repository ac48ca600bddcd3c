import { Writable } from 'node:stream';

import { describe, expect, it } from 'vitest';

import { createLog } from './log.ts';

function captured(write: (log: ReturnType<typeof createLog>) => void): string {
  let text = '';
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  write(createLog({ level: 'info', destination }));
  return text;
}

describe('the log', () => {
  it('never holds a secret, however it is handed over', () => {
    const secret = 'S3CRET-VALUE';
    const names = [
      'code',
      'pin',
      'voucher_codes',
      'password',
      'otp',
      'accessToken',
      'authorization',
      'store_passwd',
    ];
    const text = captured((log) => {
      for (const name of names)
        log.info({ [name]: secret, inner: { [name]: secret, deeper: { [name]: secret } } }, 'x');
    });
    expect(text).not.toContain(secret);
    expect(text.trim().split('\n')).toHaveLength(names.length);
  });

  it('hides secrets in lists, below any name, and in what a whole logger is bound to', () => {
    const text = captured((log) => {
      log.info(
        { a: { b: { c: { d: { pin: 'S3CRET' } } } }, rows: [{ code: 'S3CRET' }, [{ token: 'S3CRET' }]] },
        'x',
      );
      log.child({ request: { authorization: 'S3CRET' } }).info('y');
      const circle: Record<string, unknown> = { code: 'S3CRET' };
      circle['itself'] = circle;
      log.info({ circle }, 'z');
    });
    expect(text).not.toContain('S3CRET');
    expect(text.trim().split('\n')).toHaveLength(3);
  });

  it('leaves everything else as it is', () => {
    const at = new Date(0);
    const line = captured((log) => log.info({ at, list: [1, null], inner: { orderId: 7 } }, 'x'));
    expect(JSON.parse(line)).toMatchObject({ at: at.toISOString(), list: [1, null], inner: { orderId: 7 } });
  });

  it('tells the kind of a database error without the row it quotes', () => {
    const error = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (code)=(S3CRET)' });
    const text = captured((log) => log.error({ err: error }, 'failed'));
    expect(text).toContain('23505');
    expect(text).not.toContain('S3CRET');
  });
});

import { expect, it } from 'vitest';

import { outlastOutage } from './outage.ts';

const gone = (code: string): Error => Object.assign(new Error('gone'), { code });

it('writes once the database is back, and gives back what was written', async () => {
  const failures = [
    gone('ECONNREFUSED'),
    new Error('Connection terminated unexpectedly'),
    new Error('Client has encountered a connection error and is not queryable'),
  ];
  const write = async (): Promise<string> => {
    const failure = failures.shift();
    if (failure) throw failure;
    return 'written';
  };
  expect(await outlastOutage(write)).toBe('written');
  expect(failures).toEqual([]);
});

it('does not repeat what the database refused', async () => {
  let tries = 0;
  const write = async (): Promise<never> => {
    tries += 1;
    throw gone('23505');
  };
  await expect(outlastOutage(write)).rejects.toMatchObject({ code: '23505' });
  expect(tries).toBe(1);
});

import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshDataDir } from '../test-support/run-sandbox.ts';
import { openLedger } from './ledger.ts';
import { redact, redactUrl } from './redact.ts';

interface Shoe {
  size: number;
  colour: string;
}

test('it has every row on disk before flushed() resolves', async () => {
  const dataDir = await freshDataDir();
  const ledger = await openLedger(dataDir);
  for (let size = 0; size < 100; size++)
    ledger.table<Shoe>('shoes').put(`shoe-${size}`, { size, colour: 'red' });
  await ledger.flushed();
  const lines = (await readFile(join(dataDir, 'ledger.jsonl'), 'utf8')).trimEnd().split('\n');
  expect(lines).toHaveLength(100);
  await ledger.close();
});

test('it rebuilds tables and their indexes, last row winning, forgetting what was cleared', async () => {
  const dataDir = await freshDataDir();
  const before = await openLedger(dataDir);
  before.table<Shoe>('hats').put('h1', { size: 1, colour: 'red' });
  before.table<Shoe>('hats').clear();
  before.table<Shoe>('shoes').put('s1', { size: 41, colour: 'red' });
  before.table<Shoe>('shoes').put('s1', { size: 42, colour: 'blue' });
  await before.close();
  const after = await openLedger(dataDir);
  const shoes = after.table<Shoe>('shoes');
  const byColour = shoes.indexBy((shoe) => shoe.colour);
  expect(byColour('blue')).toEqual([{ size: 42, colour: 'blue' }]);
  shoes.put('s1', { size: 42, colour: 'green' });
  expect(byColour('blue')).toEqual([]);
  expect(byColour('green')).toHaveLength(1);
  expect(after.table('hats').rows()).toEqual([]);
  await after.close();
});

test('it forgets half a line left by a killed process and goes on after it', async () => {
  const dataDir = await freshDataDir();
  const before = await openLedger(dataDir);
  before.table<Shoe>('shoes').put('s1', { size: 41, colour: 'red' });
  await before.close();
  await appendFile(join(dataDir, 'ledger.jsonl'), '{"kind":"row","table":"sho');
  const after = await openLedger(dataDir);
  after.table<Shoe>('shoes').put('s2', { size: 43, colour: 'red' });
  await after.close();
  const again = await openLedger(dataDir);
  expect(again.table<Shoe>('shoes').rows()).toHaveLength(2);
  await again.close();
});

test('it masks secrets in bodies at any depth and in queries', () => {
  expect(redact({ store_passwd: 'x', deep: [{ Authorization: 'Bearer x', amount: '10.00' }] })).toEqual({
    store_passwd: '[redacted]',
    deep: [{ Authorization: '[redacted]', amount: '10.00' }],
  });
  expect(redactUrl('/validate?val_id=1&store_passwd=secret&v=1')).toBe(
    '/validate?val_id=1&store_passwd=[redacted]&v=1',
  );
  expect(redactUrl('/plain')).toBe('/plain');
});

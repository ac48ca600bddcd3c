import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { freshDataDir } from './test-support/run-sandbox.ts';

/** Runs the sandbox as a process of its own and reads its address from its first line. */
async function start(dataDir: string) {
  const child = spawn(process.execPath, [new URL('main.ts', import.meta.url).pathname], {
    env: { ...process.env, SANDBOX_PORT: '0', SANDBOX_SMTP_PORT: '0', DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const url = /http:\S+?(?=,)/.exec(line)?.[0] ?? '';
  return { child, url };
}

test('it remembers everything it has answered when it is killed', async () => {
  const dataDir = await freshDataDir();
  const first = await start(dataDir);
  const credentials = (await (await fetch(`${first.url}/_control/credentials`)).json()) as {
    sms: { url: string; api_key: string };
  };
  const send = (text: string) =>
    fetch(credentials.sms.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${credentials.sms.api_key}` },
      body: JSON.stringify({ to: '+8801700000001', text }),
    });
  const texts = Array.from({ length: 50 }, (_, message) => `message ${message}`);
  const answered = await Promise.all(texts.map(send));
  expect(answered.every(({ ok }) => ok)).toBe(true);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');

  const second = await start(dataDir);
  const { items } = (await (await fetch(`${second.url}/_control/sms`)).json()) as {
    items: { text: string }[];
  };
  expect(items.map(({ text }) => text).toSorted()).toEqual(texts.toSorted());
  second.child.kill('SIGTERM');
  expect(await once(second.child, 'exit')).toEqual([0, null]);
});

import { readFile } from 'node:fs/promises';

/** Hundredths of a second, as Linux counts. */
const TICKS = 100;

/** CPU time of processes together, in user and in system mode; 0 for one that does not run on this machine. */
export async function readCpuSeconds(pids: readonly number[]): Promise<number> {
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  const ticks = stats.map((stat) => {
    // The name of the program, in parentheses, may have spaces in it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  });
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS;
}

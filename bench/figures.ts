/** One line of a benchmark's table. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Absent for what is only told. */
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number };
  readonly note?: string;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  return (low + high) / 2;
}

export function printFigures(figures: readonly Figure[]): void {
  const rows = figures.map((figure) => [
    figure.name,
    `${inThreeDigits(figure.value)} ${figure.unit}`.trim(),
    goalOf(figure),
    isReached(figure),
    figure.note ?? '',
  ]);
  const head = ['figure', 'measured', 'goal', '', ''];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [head, ...rows]) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

function inThreeDigits(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

function goalOf({ goal }: Figure): string {
  if (!goal) return '';
  return 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}

function isReached({ goal, value }: Figure): string {
  if (!goal) return '';
  const reached = 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost;
  return reached ? 'reached' : 'NOT reached';
}

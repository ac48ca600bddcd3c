/**
 * CSV that a spreadsheet shows and never runs (decisions 7.9): a cell it would take for a formula starts with an
 * apostrophe, also where the formula sign is a full-width one or hides behind white space.
 */
const FORMULA = /^[\s\0\uFEFF\u200B]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n\0]/;

export function csvCell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) || harmless !== harmless.trim()
    ? `"${harmless.replaceAll('"', '""')}"`
    : harmless;
}

export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** CSV as spreadsheets read and write it. Pure. */

/**
 * What a spreadsheet would run and not show (decisions 7.9), also behind white space or in full-width letters. Behind
 * apostrophes too, for the way back: what `csvCell` makes of `=1` and of `'=1` must not be the same.
 */
const FORMULA = /^'*[\s\0\uFEFF\u200B]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n\0]/;
/** Plain numbers are no formulas: a price of -5 or a weight of +3 stays a number. */
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

const isFormula = (text: string): boolean => FORMULA.test(text) && !NUMBER.test(text);

export function csvCell(text: string): string {
  const harmless = isFormula(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) || harmless !== harmless.trim()
    ? `"${harmless.replaceAll('"', '""')}"`
    : harmless;
}

export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** The text that `csvCell` was given: the apostrophe that made it harmless is taken off again. */
export function plainCell(cell: string): string {
  return cell.startsWith("'") && isFormula(cell.slice(1)) ? cell.slice(1) : cell;
}

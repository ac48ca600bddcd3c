/** A file of docs/generated (or another file with a generated part): its path from the root of the project. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** A page whose first lines say that nobody edits it. */
export function page(title: string, ...blocks: readonly string[]): string {
  const warning = '<!-- Written by `npm run regen`; edits are lost. -->';
  return `${[warning, `# ${title}`, ...blocks].join('\n\n')}\n`;
}

/** A table; rows in the order given. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(headings), `|${headings.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  const oneLine = text
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim();
  // Outside of code, an angle bracket would begin a tag.
  return oneLine
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '&lt;') : part))
    .join('`');
}

export const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

export const codes = (texts: readonly string[]): string => texts.map(code).join(', ');

export function drawing(lines: readonly string[]): string {
  return ['```mermaid', ...lines, '```'].join('\n');
}

/** The same order on every machine, whatever its language. */
export function byText<Item>(textOf: (item: Item) => string): (a: Item, b: Item) => number {
  return (a, b) => {
    const [left, right] = [textOf(a), textOf(b)];
    return left < right ? -1 : Number(left > right);
  };
}

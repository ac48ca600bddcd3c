import type { Migration } from '../platform/db/migrate.ts';

/** What the migrations say about a table. */
export interface TableComments {
  readonly owner: string;
  readonly purpose: string;
  /** Column → the comment above or beside it. */
  readonly columns: ReadonlyMap<string, string>;
}

/**
 * Reads owners and comments out of the migrations' text, in our own layout: one column a line, comments above it.
 * What the tables are is asked of the database itself; only what SQL does not keep comes from here.
 */
export function readTableComments(migrations: readonly Migration[]): Map<string, TableComments> {
  const tables = new Map<string, TableComments>();
  for (const { sql } of migrations) {
    for (const statement of statementsOf(sql)) readStatement(tables, statement);
  }
  return tables;
}

interface Statement {
  readonly table: string;
  readonly isNew: boolean;
  /** Everything of the file before it. */
  readonly before: string;
  readonly lines: readonly string[];
}

function statementsOf(sql: string): Statement[] {
  const pattern = /^(CREATE TABLE|ALTER TABLE)(?: IF NOT EXISTS)? (\w+)([^;]*);/gm;
  return [...withoutFunctionBodies(sql).matchAll(pattern)].map((match) => ({
    table: match[2] ?? '',
    isNew: match[1] === 'CREATE TABLE',
    before: sql.slice(0, match.index),
    lines: (match[3] ?? '').split('\n'),
  }));
}

/** The same length, so that places in it are places in the file; semicolons in comments end no statement. */
function withoutFunctionBodies(sql: string): string {
  return sql
    .replaceAll(/\$\$[^]*?\$\$/g, (body) => ' '.repeat(body.length))
    .replaceAll(/--.*$/gm, (comment) => comment.replaceAll(';', ','));
}

function readStatement(tables: Map<string, TableComments>, statement: Statement): void {
  const { table, isNew, before, lines } = statement;
  const above = purposeIn(before);
  const known = tables.get(table);
  const columns = new Map(known?.columns);
  // A comment above ALTER TABLE is about what it adds first.
  const added = /^\s*ADD COLUMN (\w+)/.exec(lines.join('\n'))?.[1];
  if (added !== undefined && above !== '') columns.set(added, above);
  for (const [column, comment] of columnComments(lines)) columns.set(column, comment);
  const owner = known?.owner ?? ownerIn(before, table);
  tables.set(table, { owner, purpose: isNew ? above : (known?.purpose ?? ''), columns });
}

function ownerIn(before: string, table: string): string {
  const text = before.replaceAll(/\n--\s*/g, ' ');
  const owner = [...text.matchAll(/\bOwner(?: of [^:.]*)?: ([\w/-]+)/g)].at(-1)?.[1];
  if (owner === undefined)
    throw new Error(`The migration that makes ${table} must name its "Owner: <module>"`);
  return owner;
}

/** The comment right above the statement, without its owner. One about the whole file is not about the table. */
function purposeIn(before: string): string {
  const lines = before.split('\n').slice(0, -1);
  const above = lines.slice(lines.findLastIndex((line) => !line.startsWith('--')) + 1);
  const text = join(above);
  return text.startsWith('Why:') ? '' : text.replace(/\bOwner: [\w/-]+\.\s*/, '');
}

function columnComments(lines: readonly string[]): [string, string][] {
  let above: string[] = [];
  return lines.flatMap((line): [string, string][] => {
    if (/^\s*--/.test(line)) {
      above.push(line);
      return [];
    }
    const column = /^\s*(?:ADD COLUMN (?:IF NOT EXISTS )?)?([a-z_][a-z0-9_]*)\s/.exec(line)?.[1];
    const beside = /--(.*)$/.exec(line)?.[1] ?? '';
    const comment = join([...above, beside]);
    above = [];
    return column === undefined || comment === '' ? [] : [[column, comment]];
  });
}

function join(lines: readonly string[]): string {
  return lines
    .map((line) => line.replace(/^\s*--\s?/, '').trim())
    .join(' ')
    .trim();
}

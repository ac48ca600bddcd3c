import type { Reader } from '../platform/db/database.ts';
import type { Migration } from '../platform/db/migrate.ts';
import { byText, code, page, table } from './markdown.ts';
import { readTableComments } from './schema-comments.ts';
import { listColumns, listRules } from './schema-store.ts';
import type { SchemaRule, SchemaTable } from './schema-store.ts';

/** The tables of a migrated database, with what the migrations say about them. */
export async function readSchema(reader: Reader, migrations: readonly Migration[]): Promise<SchemaTable[]> {
  const comments = readTableComments(migrations);
  const [columns, rules] = await Promise.all([listColumns(reader), listRules(reader)]);
  return [...Map.groupBy(columns, ({ table_name: name }) => name)].map(([name, own]) => {
    const said = comments.get(name);
    if (!said) throw new Error(`No migration says CREATE TABLE ${name} at the start of a line`);
    return {
      name,
      owner: said.owner,
      purpose: said.purpose,
      columns: own.map((column) => ({ ...column, meaning: said.columns.get(column.name) ?? '' })),
      rules: rules.filter((rule) => rule.table_name === name),
    };
  });
}

export function schemaPage(tables: readonly SchemaTable[]): string {
  const byOwner = [...Map.groupBy(tables, ({ owner }) => owner)].toSorted(byText(([owner]) => owner));
  return page(
    'Database schema',
    'The tables as a migrated database has them. The job queue keeps its own in the schema `graphile_worker`; ' +
      '`schema_migrations` lists the migrations that were applied.',
    table(
      ['Owner', 'Tables'],
      byOwner.map(([owner, own]) => [owner, own.map(({ name }) => `[${name}](#${name})`).join(', ')]),
    ),
    ...byOwner.flatMap(([, own]) => own.map(describe)),
  );
}

function describe({ name, owner, purpose, columns, rules }: SchemaTable): string {
  const rows = columns.map((column) => [
    code(column.name),
    column.type.replace('timestamp with time zone', 'timestamptz'),
    column.is_required ? 'yes' : '',
    code(column.fallback === null ? '' : readable(column.fallback)),
    column.meaning,
  ]);
  return [
    `## ${name}`,
    `Owner: ${owner}. ${purpose}`.trim(),
    table(['Column', 'Type', 'Required', 'Default', 'Meaning'], rows),
    rules.map(line).join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function line({ kind, name, definition }: SchemaRule): string {
  return `- ${kind} ${code(name)}: ${code(readable(shorten(kind, definition)))}`;
}

/** What the name and the heading say already is left out. */
function shorten(kind: SchemaRule['kind'], definition: string): string {
  if (kind === 'index')
    return definition.replace(/^CREATE (UNIQUE )?INDEX \S+ ON (?:ONLY )?\S+ USING btree /, '$1');
  if (kind === 'trigger')
    return definition.replace(/^CREATE TRIGGER \S+ /, '').replace(/ ON (public\.)?\w+/, '');
  return definition;
}

/** PostgreSQL writes every cast, a list of texts as an array, and brackets around brackets. */
function readable(sql: string): string {
  return sql
    .replaceAll(/'::(text|bpchar|jsonb|character varying)(?!\[)\b/g, "'")
    .replaceAll(/= ANY \(ARRAY\[([^\]]*)\]\)/g, 'IN ($1)')
    .replaceAll(/<> ALL \(ARRAY\[([^\]]*)\]\)/g, 'NOT IN ($1)')
    .replaceAll(/::(text|bigint|integer)(?!\[)\b/g, '')
    .replace(/^CHECK \(\((.*)\)\)$/, 'CHECK ($1)');
}

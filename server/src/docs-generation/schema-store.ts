import type { Reader } from '../platform/db/database.ts';

export interface SchemaColumn {
  readonly table_name: string;
  readonly name: string;
  readonly type: string;
  readonly is_required: boolean;
  /** The expression, `identity` for generated ids, null for none. */
  readonly fallback: string | null;
}

/** A constraint, an index of its own or a trigger. */
export interface SchemaRule {
  readonly table_name: string;
  readonly kind: 'constraint' | 'index' | 'trigger';
  readonly name: string;
  readonly definition: string;
}

/** A table as the database has it, with the module that its migration names as owner. */
export interface SchemaTable {
  readonly name: string;
  readonly owner: string;
  readonly purpose: string;
  readonly columns: readonly (SchemaColumn & { readonly meaning: string })[];
  readonly rules: readonly SchemaRule[];
}

const ours = `relation.relnamespace = 'public'::regnamespace AND relation.relkind IN ('r', 'p')
  AND relation.relname <> 'schema_migrations'`;

const columns = `
  SELECT relation.relname AS table_name, attribute.attname AS name,
    format_type(attribute.atttypid, attribute.atttypmod) AS type, attribute.attnotnull AS is_required,
    CASE WHEN attribute.attidentity <> '' THEN 'identity' ELSE pg_get_expr(fallback.adbin, fallback.adrelid) END AS fallback
  FROM pg_attribute AS attribute
  JOIN pg_class AS relation ON relation.oid = attribute.attrelid
  LEFT JOIN pg_attrdef AS fallback ON fallback.adrelid = relation.oid AND fallback.adnum = attribute.attnum
  WHERE ${ours} AND attribute.attnum > 0 AND NOT attribute.attisdropped
  ORDER BY relation.relname COLLATE "C", attribute.attnum`;

// NOT NULL is a constraint with a name since PostgreSQL 18; here it shows at the column, on every version.
const rules = `
  SELECT relation.relname AS table_name, 'constraint' AS kind, rule.conname AS name, pg_get_constraintdef(rule.oid) AS definition
  FROM pg_constraint AS rule JOIN pg_class AS relation ON relation.oid = rule.conrelid
  WHERE ${ours} AND rule.contype IN ('p', 'u', 'f', 'c', 'x')
  UNION ALL
  SELECT relation.relname, 'index', index_relation.relname, pg_get_indexdef(entry.indexrelid)
  FROM pg_index AS entry JOIN pg_class AS relation ON relation.oid = entry.indrelid
  JOIN pg_class AS index_relation ON index_relation.oid = entry.indexrelid
  WHERE ${ours} AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = entry.indexrelid AND contype IN ('p', 'u', 'x'))
  UNION ALL
  SELECT relation.relname, 'trigger', rule.tgname, pg_get_triggerdef(rule.oid)
  FROM pg_trigger AS rule JOIN pg_class AS relation ON relation.oid = rule.tgrelid
  WHERE ${ours} AND NOT rule.tgisinternal`;

export async function listColumns(reader: Reader): Promise<SchemaColumn[]> {
  return (await reader.query<SchemaColumn>(columns)).rows;
}

export async function listRules(reader: Reader): Promise<SchemaRule[]> {
  const ordered = `SELECT * FROM (${rules}) AS rule ORDER BY table_name COLLATE "C", kind COLLATE "C", name COLLATE "C"`;
  return (await reader.query<SchemaRule>(ordered)).rows;
}

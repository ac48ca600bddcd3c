import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';

import { answer, endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { readUpload, UPLOAD_ERRORS } from '../../../platform/http/upload.ts';
import type { Resource, ResourceDeps } from '../../../platform/resource/resource.ts';
import { catalogueCsv, exportCatalogue } from './export-catalogue.ts';
import { importCatalogue } from './import-catalogue.ts';
import { MOST_ROWS, readTransferFile, rowsOfJson } from './read-transfer-file.ts';
import type { TransferFile } from './read-transfer-file.ts';
import { transferColumns } from './transfer-columns.ts';

const MOST_BYTES = 10 * 1024 * 1024;
const COLUMNS = transferColumns.map(({ name }) => `\`${name}\``).join(', ');

const resultSchema = Type.Object({
  dry_run: Type.Boolean(),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer(),
  failed: Type.Integer(),
  ignored_columns: Type.Array(Type.String(), { description: 'Columns of the file that mean nothing here' }),
  results: Type.Array(
    Type.Object({
      row: Type.Integer(),
      product_slug: Type.Union([Type.String(), Type.Null()]),
      sku: Type.Union([Type.String(), Type.Null()]),
      outcome: Type.Enum(['created', 'updated', 'unchanged', 'failed']),
      message: Type.Optional(Type.String()),
    }),
  ),
});

export function transferEndpoints(products: Resource, deps: ResourceDeps): Endpoint[] {
  return [importEndpoint(products, deps), exportEndpoint(products, deps)];
}

function importEndpoint(products: Resource, deps: ResourceDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/products/import',
    access: { permission: products.permission.write },
    tag: products.tag,
    summary: 'Products and variants out of a CSV or JSON file, with a result for each row',
    description: `One part \`file\` of \`multipart/form-data\`, or JSON \`{"rows": […]}\`. One row for each variant: ${COLUMNS}. Products are known by \`product_slug\`, variants by \`sku\`; several \`tags\` are parted by \`|\`. What a row leaves out stays. At most ${MOST_ROWS.toLocaleString('en')} rows; those of one product must agree about it. Good rows go in although others fail; with \`dry_run\` nothing does.`,
    upload: true,
    bodyLimitBytes: MOST_BYTES,
    query: Type.Object({ dry_run: Type.Boolean({ default: false }) }),
    data: resultSchema,
    errors: [...UPLOAD_ERRORS],
    async handle({ query, caller, request }) {
      const { rows, ignoredColumns } = await readRows(request);
      // If-Match speaks of one row and not of a list of them.
      const writer = { caller, request: { ip: request.ip, id: request.id, headers: {} } };
      const results = await importCatalogue({ deps, products, writer, rows, dryRun: query.dry_run });
      const count = (outcome: string): number => results.filter((each) => each.outcome === outcome).length;
      return {
        dry_run: query.dry_run,
        created: count('created'),
        updated: count('updated'),
        unchanged: count('unchanged'),
        failed: count('failed'),
        ignored_columns: ignoredColumns,
        results,
      };
    },
  });
}

async function readRows(request: FastifyRequest): Promise<TransferFile> {
  if (!request.isMultipart()) return rowsOfJson(request.body);
  return readTransferFile((await readUpload(request, { maxBytes: MOST_BYTES })).bytes);
}

function exportEndpoint(products: Resource, deps: ResourceDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/products/export',
    access: { permission: products.permission.read },
    tag: products.tag,
    summary: 'Every product and variant as CSV, or as JSON, in the form that import takes',
    query: Type.Object({ format: Type.Enum(['csv', 'json'], { default: 'csv' }) }),
    data: Type.Object({ rows: Type.Array(Type.Record(Type.String(), Type.Unknown())) }),
    async handle({ query }) {
      const rows = await exportCatalogue(deps.db);
      if (query.format === 'json') return answer({ rows: [...rows] });
      return {
        raw: true as const,
        status: 200,
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': 'attachment; filename="catalogue.csv"',
        },
        body: catalogueCsv(rows),
      };
    },
  });
}

import type { Reader } from '../../../platform/db/database.ts';
import { csvLine } from '../../../platform/csv-rules.ts';
import { toWireAmount } from '../../../platform/money.ts';
import type { Row } from '../../../platform/resource/resource.ts';
import { fulfillmentConfigField } from '../fulfillment/fulfillment-config-field.ts';
import { transferColumns, writeCell } from './transfer-columns.ts';
import { listExportRows } from './transfer-store.ts';
import type { ExportRow } from './transfer-store.ts';

/** Every product, whatever its status, in the form that `importCatalogue` takes. */
export async function exportCatalogue(reader: Reader): Promise<Row[]> {
  return (await listExportRows(reader)).map(toTransferRow);
}

export function catalogueCsv(rows: readonly Row[]): string {
  const header = csvLine(transferColumns.map(({ name }) => name));
  const lines = rows.map((row) =>
    csvLine(transferColumns.map(({ name, kind }) => writeCell(kind, row[name]))),
  );
  // With a byte order mark spreadsheets read the Bangla as UTF-8.
  return `\uFEFF${header}${lines.join('')}`;
}

function toTransferRow(row: ExportRow): Row {
  const { fulfillment_config, price_minor, compare_at_price_minor, ...same } = row;
  const config = fulfillmentConfigField.toWire?.(fulfillment_config) as { fields: unknown };
  const amount = (minor: number | null): number | null => (minor === null ? null : toWireAmount(minor));
  return {
    ...same,
    fulfillment_fields: config.fields,
    price: amount(price_minor),
    compare_at_price: amount(compare_at_price_minor),
  };
}

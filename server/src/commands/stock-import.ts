import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { setFlagsFromString } from 'node:v8';

import type { Command } from 'commander';

import { findVariantToStock } from '../modules/catalogue/index.ts';
import { importVouchers, readImportFile } from '../modules/vouchers/index.ts';
import type { ImportRowResult, ImportSummary } from '../modules/vouchers/index.ts';
import type { Database } from '../platform/db/database.ts';
import { parseMinor } from '../platform/money.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { systemClock } from '../platform/time.ts';

export interface StockVault {
  readonly db: Database;
  readonly box: SecretBox;
  close(): Promise<void>;
}

/** Where the command writes: the summary to `out`, everything else to `err`. */
export interface StockImportOutput {
  out(text: string): void;
  err(text: string): void;
}

interface StockImportOptions {
  readonly variant: string;
  readonly supplier?: string;
  readonly cost?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const toProcess: StockImportOutput = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};

/**
 * Adds `stock import <file.csv>`. Exit code 0 when every row is in the vault (or was already), 1 when a row is
 * invalid, 2 when nothing could be started.
 */
export function registerStockImport(
  program: Command,
  open: () => Promise<StockVault>,
  output: StockImportOutput = toProcess,
): void {
  const stock = program.commands.find((command) => command.name() === 'stock') ?? program.command('stock');
  stock
    .description('Codes in the vault')
    .command('import')
    .description(
      'Import codes of one variant from a CSV file: code, pin, redemption_url, serial_number, expires_at',
    )
    .argument('<file.csv>')
    .requiredOption('--variant <id or sku>', 'which variant the codes belong to')
    .option('--supplier <name>', 'who sold them')
    .option('--cost <BDT>', 'what one code cost, for example 95.50')
    .option('--dry-run', 'say what would happen, write nothing')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, options: StockImportOptions) => {
      process.exitCode = await importStock({ file, options, open, output });
    });
}

interface StockImportCall {
  readonly file: string;
  readonly options: StockImportOptions;
  readonly output: StockImportOutput;
  readonly open: () => Promise<StockVault>;
}

async function importStock({ file, options, open, output }: StockImportCall): Promise<number> {
  const costMinor = options.cost === undefined ? undefined : parseMinor(options.cost);
  if (options.cost !== undefined && costMinor === undefined) {
    output.err(`--cost ${options.cost} is not an amount; write it like 95.50\n`);
    return 2;
  }
  // Every row leaves a little garbage. Left alone, the engine makes ever more room for it: 355 MB for 120,000 rows
  // instead of 199 MB, in the same time.
  setFlagsFromString('--semi-space-growth-factor=1');
  const vault = await open();
  try {
    const variant = await findVariantToStock(vault.db, options.variant);
    if (!variant) {
      output.err(`There is no variant with the id or SKU ${options.variant}\n`);
      return 2;
    }
    const report = reportTo(output, options);
    const summary = await importVouchers(
      { ...vault, clock: systemClock },
      {
        variantId: variant.variantId,
        brandId: variant.brandId,
        rows: readImportFile(createReadStream(file)),
        sourceName: basename(file),
        dryRun: options.dryRun === true,
        ...(options.supplier === undefined ? {} : { supplier: options.supplier }),
        ...(costMinor === undefined ? {} : { costMinor }),
        ...report,
      },
    );
    output.out(
      options.json ? `${JSON.stringify(report.toJson(summary))}\n` : report.toText(summary, variant.title),
    );
    return summary.invalid > 0 ? 1 : 0;
  } catch (error) {
    output.err(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  } finally {
    await vault.close();
  }
}

/** A report of a huge, wholly wrong file must stay readable. */
const MOST_PROBLEMS = 1_000;

function reportTo(output: StockImportOutput, options: StockImportOptions) {
  const notImported: ImportRowResult[] = [];
  return {
    onRow(row: ImportRowResult) {
      if (row.outcome !== 'imported' && notImported.length < MOST_PROBLEMS) notImported.push(row);
      if (row.outcome === 'invalid' && !options.json) output.err(`line ${row.line}: ${row.problem ?? ''}\n`);
    },
    onProgress(rows: number) {
      output.err(`${rows} rows\n`);
    },
    toJson: (summary: ImportSummary) => ({ ...summary, notImported }),
    toText(summary: ImportSummary, title: string): string {
      const { read, imported, alreadyStored, duplicateInFile, invalid, batchId, dryRun } = summary;
      return [
        `${title}: ${dryRun ? 'dry run, nothing was written' : batchId === null ? 'nothing to write' : `batch ${batchId}`}`,
        `  read              ${read}`,
        `  ${dryRun ? 'would be imported' : 'imported         '} ${imported}`,
        `  already stored    ${alreadyStored}`,
        `  twice in the file ${duplicateInFile}`,
        `  invalid           ${invalid}`,
        '',
      ].join('\n');
    },
  };
}

/** One row that everybody wants, beside many. */
import { median } from './figures.ts';
import type { Figure } from './figures.ts';
import { runLoad } from './http-load.ts';
import type { Bench } from './order-bench.ts';
import { AT_ONCE, placeOrder } from './order-cells.ts';
import type { Stock } from './order-cells.ts';

/** Orders without a session, so that waiting for the hot row is all that differs. */
export async function measureHot(bench: Bench, stock: Stock): Promise<Figure[]> {
  const codes = await makeDiscounts(bench, stock.variants.length);
  const run = async (variants: readonly number[], discounts: readonly string[]): Promise<number> => {
    const { count, seconds } = await runLoad(
      { url: bench.server.url, atOnce: AT_ONCE, milliseconds: bench.milliseconds },
      async (connection, n) => {
        const variantId = variants[n % variants.length] ?? 0;
        const discount = discounts[n % discounts.length];
        const more = { init_payment: false, ...(discount ? { discount_code: discount } : {}) };
        await placeOrder(bench, connection, { n, variantId, more });
      },
    );
    return count / seconds;
  };
  const { variants, hotVariants } = stock;
  const ratios = { variant: [] as number[], code: [] as number[] };
  for (let round = 0; round < bench.rounds; round += 1) {
    const cold = await run(variants, []);
    ratios.variant.push((await run(hotVariants, [])) / cold);
    const coldCodes = await run(variants, codes);
    ratios.code.push((await run(variants, codes.slice(0, 1))) / coldCodes);
  }
  const goal = { atLeast: 0.6 };
  return [
    { name: 'one hot variant, of the same with many', value: median(ratios.variant), unit: '', goal },
    { name: 'one hot discount code, of the same with many', value: median(ratios.code), unit: '', goal },
  ];
}

async function makeDiscounts({ sql }: Bench, count: number): Promise<string[]> {
  const { rows } = await sql.query<{ code: string }>(
    `INSERT INTO discounts (code, name, discount_type, value_hundredths, is_active)
     SELECT 'B' || $2 || 'N' || n, 'Bench', 'PERCENTAGE', 1000, true FROM generate_series(1, $1::int) AS n RETURNING code`,
    [count, String(Date.now())],
  );
  return rows.map(({ code }) => code);
}

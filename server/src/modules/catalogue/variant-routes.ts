import { Type } from 'typebox';

import { endpoint } from '../../platform/http/endpoint.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import type { CatalogueSnapshot, Stock } from './catalogue-snapshot.ts';
import { labelSchema, variantSchema } from './catalogue-wire.ts';
import { variantNotFound } from './errors.ts';
import { idParams } from './product-routes.ts';
import { settingOf } from './settings/setting-definitions.ts';
import { shelfEndpoint } from './shelf-endpoint.ts';
import type { Shelf } from './shelf.ts';

const tag = 'Catalogue';

const variantDetailSchema = Type.Object({ ...variantSchema.properties, product: labelSchema });

const availabilitySchema = Type.Object({
  variant_id: Type.Integer(),
  availability: Type.Enum(['in_stock', 'low_stock', 'out_of_stock']),
  max_per_order: Type.Integer({ description: 'Units one order can have of it now; 0 when out of stock' }),
});

export function variantEndpoints(snapshot: CatalogueSnapshot, stock: Stock): Endpoint[] {
  return [getVariant(snapshot), getAvailability(snapshot, stock)];
}

function getVariant(snapshot: CatalogueSnapshot): Endpoint {
  return shelfEndpoint(snapshot, {
    path: '/variants/:id',
    tag,
    summary: 'One active variant with how it is fulfilled',
    params: idParams,
    data: variantDetailSchema,
    errors: ['NOT_FOUND'],
    read(shelf, { params, language }) {
      const product = shelf.findProductOfVariant(params.id);
      const shown = product && shelf.show(product, language, 'sort');
      const variant = shown?.variants.find(({ id }) => id === params.id);
      if (!shown || !variant) throw variantNotFound();
      return { ...variant, product: { id: shown.id, name: shown.name, slug: shown.slug } };
    },
  });
}

/** Asked of the vault and not of memory: a client looks here after an order was refused for want of stock. */
function getAvailability(snapshot: CatalogueSnapshot, stock: Stock): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/variants/:id/availability',
    access: 'anonymous',
    tag,
    summary: 'Whether it can be had now, and how many at once',
    description: 'How many units there are in all is nobody’s business but the operators’.',
    params: Type.Object(idParams),
    data: availabilitySchema,
    errors: ['NOT_FOUND'],
    async handle({ params }) {
      const shelf = await snapshot.current();
      const variant = findVariant(shelf, params.id);
      if (!variant) throw variantNotFound();
      const { engine, max_quantity } = variant;
      if (engine === 'PARTNER') {
        const isSold = shelf.sellable.has(params.id);
        const availability = isSold ? ('in_stock' as const) : ('out_of_stock' as const);
        return { variant_id: params.id, availability, max_per_order: isSold ? max_quantity : 0 };
      }
      const low = settingOf(shelf.rows.settings, 'low_stock_units');
      const units = await stock.countSellableUnits(params.id, Math.max(low + 1, max_quantity));
      return {
        variant_id: params.id,
        availability: levelOf(units, low),
        max_per_order: Math.min(units, max_quantity),
      };
    },
  });
}

function findVariant(shelf: Shelf, variantId: number) {
  return shelf.findProductOfVariant(variantId)?.row.variants.find(({ id }) => id === variantId);
}

function levelOf(units: number, low: number): 'in_stock' | 'low_stock' | 'out_of_stock' {
  if (units === 0) return 'out_of_stock';
  return units <= low ? 'low_stock' : 'in_stock';
}

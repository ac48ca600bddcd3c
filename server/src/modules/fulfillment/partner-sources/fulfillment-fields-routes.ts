import { Type } from 'typebox';

import type { Reader } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { findVariantsForSale, isIdentifierKey } from '../../catalogue/index.ts';
import { mergePartnerFields } from './merge-fields-rules.ts';
import { listSourcesOfVariant } from './source-store.ts';

const entry = Type.Object({
  name: Type.String(),
  label: Type.String(),
  type: Type.String(),
  required: Type.Boolean(),
});

/** What an operator fills in for a variant (interface part 4, admin). */
export function fulfillmentFieldsRoutes({ db }: { readonly db: Reader }): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/orders/variants/:id/fulfillment-fields',
      access: { permission: 'orders:read' },
      summary: 'What a variant asks of its recipient, with what its partners need merged in as required',
      tag: 'Fulfillment recovery',
      params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
      data: Type.Object({
        variant_id: Type.Integer(),
        identifier_field: Type.String(),
        identifier: Type.Object({ key: Type.String(), label: Type.String(), required: Type.Boolean() }),
        fields: Type.Array(entry),
      }),
      errors: ['NOT_FOUND'],
      async handle({ params: { id } }) {
        const [[variant], sources] = await Promise.all([
          findVariantsForSale(db, [id]),
          listSourcesOfVariant(db, id),
        ]);
        if (!variant) throw new AppError('NOT_FOUND', `There is no variant ${id}`);
        const { identifier, fields } = variant.fulfillment;
        const declared = sources
          .filter((source) => source.is_active)
          .flatMap((source) => source.required_fields);
        return {
          variant_id: id,
          identifier_field: identifier.key,
          identifier: { key: identifier.key, label: identifier.label, required: identifier.required },
          fields: mergePartnerFields(fields, declared, isIdentifierKey),
        };
      },
    }),
  ];
}

import { Type } from 'typebox';
import type { Static } from 'typebox';

import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import type { Resource, ResourceDeps, Row } from '../../../platform/resource/resource.ts';
import { changeRow } from '../../../platform/resource/write-row.ts';
import { bulkResultSchema, doForEach } from './bulk-results.ts';
import { PRODUCT_STATUSES } from './product-resource.ts';

const safeId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const someTags = Type.Optional(Type.Array(safeId, { maxItems: 50 }));

const bulkBody = Type.Object(
  {
    ids: Type.Array(safeId, { minItems: 1, maxItems: 500 }),
    status: Type.Optional(Type.Enum([...PRODUCT_STATUSES])),
    category_id: Type.Optional(safeId),
    add_tag_ids: someTags,
    remove_tag_ids: someTags,
  },
  { minProperties: 2 },
);
type BulkBody = Static<typeof bulkBody>;

export function bulkProductEndpoint(products: Resource, deps: ResourceDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/products/bulk',
    access: { permission: products.permission.write },
    tag: products.tag,
    summary: 'One change for up to 500 products: status, category, tags',
    description: 'Every product stands for itself: the good ones are changed although others fail.',
    body: bulkBody,
    data: bulkResultSchema,
    async handle({ body, caller, request }) {
      // If-Match speaks of one row and not of a list of them.
      const writer = { caller, request: { ip: request.ip, id: request.id, headers: {} } };
      const items = body.ids.map((id) => ({ id }));
      return doForEach(items, 'ids', async ({ id }) => {
        await changeRow(deps, products, { writer, at: { id }, input: (before) => inputFor(body, before) });
        return 'changed';
      });
    },
  });
}

function inputFor(body: BulkBody, before: Row): Row {
  const { status, category_id, add_tag_ids, remove_tag_ids } = body;
  const input: Record<string, unknown> = {};
  if (status !== undefined) input['status'] = status;
  if (category_id !== undefined) input['category_id'] = category_id;
  if (add_tag_ids || remove_tag_ids) {
    const kept = (before['tag_ids'] as number[]).filter((id) => !remove_tag_ids?.includes(id));
    input['tag_ids'] = [...new Set([...kept, ...(add_tag_ids ?? [])])];
  }
  return input;
}

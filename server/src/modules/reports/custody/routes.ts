import { Type } from 'typebox';

import type { Reader } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { listStoredVouchers, storedVoucherSchema, toMaskedVoucherWire } from '../../vouchers/index.ts';
import { listAdmins } from '../admins-store.ts';
import { adminUserSchema } from '../orders/attempt-wire.ts';
import { listCustody } from './custody-store.ts';

const stepSchema = Type.Object({
  at: Type.String({ format: 'date-time' }),
  kind: Type.String({
    description:
      'stored, assigned, entered, e-mailed, revealed, read (plain, with its order), changed or voided',
  }),
  admin_user: Type.Union([adminUserSchema, Type.Null()]),
  details: Type.Record(Type.String(), Type.Unknown()),
});

export function custodyRoutes(deps: { readonly db: Reader; readonly box: SecretBox }): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/vouchers/:id',
      access: { permission: 'vouchers:read' },
      summary: 'One code, masked, and everybody who could have seen it',
      tag: 'Voucher vault',
      params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
      data: Type.Interface([storedVoucherSchema], {
        custody: Type.Array(stepSchema, { description: 'Oldest first' }),
      }),
      errors: ['NOT_FOUND'],
      handle: async ({ params: { id } }) => {
        const [[row], steps] = await Promise.all([
          listStoredVouchers(deps.db, [id]),
          listCustody(deps.db, id),
        ]);
        if (!row) throw new AppError('NOT_FOUND', `There is no voucher ${id}`);
        const admins = await listAdmins(deps.db, [...new Set(steps.flatMap((step) => step.admin_id ?? []))]);
        const custody = steps.map((step) => ({
          at: step.at.toISOString(),
          kind: step.kind,
          admin_user: admins.find((admin) => admin.id === step.admin_id) ?? null,
          details: step.details,
        }));
        return { ...toMaskedVoucherWire(deps.box, row), custody };
      },
    }),
  ];
}

import { Type } from 'typebox';

import { auditActor } from '../../platform/audit.ts';
import { fieldError } from '../../platform/errors.ts';
import { answer, endpoint } from '../../platform/http/endpoint.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import { enterManualCodes } from './enter-manual-codes.ts';
import type { RecoveryDeps } from './enter-manual-codes.ts';
import { typedCodesOf } from './manual-code-input.ts';
import {
  manualCodeAnswer,
  manualCodeBody,
  manualCodesAnswer,
  manualCodesBody,
  notesField,
  optionalBody,
  toManualCodeAnswer,
  toManualCodesAnswer,
} from './recovery-wire.ts';
import { resendOrderEmail } from './resend-email.ts';
import type { RecoveryOutcome } from './settle-recovery.ts';

const tag = 'Fulfillment recovery';
const recover = { permission: 'orders:recover' } as const;
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });

export function recoveryRoutes(deps: RecoveryDeps): Endpoint[] {
  return [manualCodeRoute(deps), manualCodesRoute(deps), resendRoute(deps)];
}

function resultOf(outcome: RecoveryOutcome, codes: number): { success: boolean; message: string } {
  const success = outcome.errorMessage === null;
  const what = `${codes} voucher code(s)`;
  const message = success ? `${what} delivered to customer` : `${what} saved. ${outcome.errorMessage}`;
  return { success, message };
}

function manualCodeRoute(deps: RecoveryDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/orders/:id/fulfillment/manual-code',
    access: recover,
    summary: 'Deliver codes of one item that an operator types in',
    description:
      'As many codes as units; where some units have one already, the missing ones or all. Repeating the request ' +
      'after DISPATCH_FAILED sends the e-mail again.',
    tag,
    params,
    body: manualCodeBody,
    data: manualCodeAnswer,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async (call) => {
      const { params: of, body, caller } = call;
      const codes = typedCodesOf(body);
      const item = {
        orderItemId: body.orderItemId,
        partnerId: body.partnerId ?? null,
        codes,
        field: 'codes',
      };
      const outcome = await enterManualCodes(deps, {
        orderId: of.id,
        adminId: caller.adminId,
        actor: auditActor(call),
        notes: body.notes ?? null,
        items: [item],
        mayNameMissingOnly: true,
      });
      return answer(toManualCodeAnswer(outcome), resultOf(outcome, codes.length));
    },
  });
}

function manualCodesRoute(deps: RecoveryDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/orders/:id/fulfillment/manual-codes',
    access: recover,
    summary: 'Deliver codes of several items at once, in one e-mail',
    description:
      'Every item is checked before anything is written: one that cannot be done refuses them all.',
    tag,
    params,
    body: manualCodesBody,
    data: manualCodesAnswer,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async (call) => {
      const { params: of, body, caller } = call;
      refuseRepeatedItems(body.items);
      const outcome = await enterManualCodes(deps, {
        orderId: of.id,
        adminId: caller.adminId,
        actor: auditActor(call),
        notes: body.notes ?? null,
        items: body.items.map((item, index) => ({
          orderItemId: item.orderItemId,
          variantId: item.variantId ?? undefined,
          partnerId: item.partnerId ?? null,
          codes: item.codes,
          field: `items.${index}.codes`,
        })),
        mayNameMissingOnly: false,
      });
      const codes = body.items.reduce((sum, item) => sum + item.codes.length, 0);
      return answer(toManualCodesAnswer(outcome, body.items), resultOf(outcome, codes));
    },
  });
}

function refuseRepeatedItems(items: readonly { readonly orderItemId: number }[]): void {
  const ids = items.map((item) => item.orderItemId);
  const index = ids.findIndex((id, at) => ids.indexOf(id) !== at);
  if (index >= 0) throw fieldError(`items.${index}.orderItemId`, `Item ${ids[index]} is named twice`);
}

function resendRoute(deps: RecoveryDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/orders/:id/fulfillment/resend-email',
    access: { permission: 'orders:resend' },
    summary: 'Send one e-mail with all stored codes of the order',
    description:
      'When only the e-mail had failed, this fulfils the items and the order. Another address than the order’s ' +
      'needs `vouchers:reveal` as well.',
    tag,
    params,
    body: optionalBody(
      Type.Object({
        notes: notesField,
        recipientEmail: Type.Optional(
          Type.String({ format: 'email', maxLength: 254, description: 'Where it goes from now on' }),
        ),
      }),
    ),
    data: manualCodeAnswer,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async (call) => {
      const { params: of, body, caller } = call;
      const outcome = await resendOrderEmail(deps, {
        orderId: of.id,
        adminId: caller.adminId,
        actor: auditActor(call),
        notes: body?.notes ?? null,
        recipientEmail: body?.recipientEmail,
        mayChangeRecipient: caller.permissions.has('vouchers:reveal'),
      });
      const message = outcome.errorMessage ?? 'E-mail sent';
      return answer(toManualCodeAnswer(outcome), { success: outcome.emailSent, message });
    },
  });
}

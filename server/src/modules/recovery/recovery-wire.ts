import { Type } from 'typebox';
import type { TObject } from 'typebox';

import type { RecoveryOutcome } from './settle-recovery.ts';

const optionalText = (maxLength: number) =>
  Type.Optional(Type.Union([Type.String({ maxLength }), Type.Null()]));

export const notesField = Type.Optional(Type.Union([Type.String({ maxLength: 4000 }), Type.Null()]));

/** A body of which nothing is required may be left out altogether. */
export const optionalBody = <Body extends TObject>(body: Body) => Type.Union([body, Type.Null()]);

const partnerId = Type.Optional(
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: 'Who supplied the code; 0 and none are stored as null',
  }),
);

const extras = {
  pin: optionalText(500),
  redemptionUrl: optionalText(2000),
  serialNumber: optionalText(500),
};

const typedCode = {
  code: Type.String({ maxLength: 500 }),
  ...extras,
  expiresAt: optionalText(40),
  metadata: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
};

/** Interface part 4, manual-code request. */
export const manualCodeBody = Type.Object({
  orderItemId: Type.Integer({ minimum: 1 }),
  code: optionalText(500),
  ...extras,
  codes: Type.Optional(
    Type.Union([Type.Array(Type.Object(typedCode), { maxItems: 100 }), Type.Null()], {
      description: 'One entry for each purchased unit; wins over `code`',
    }),
  ),
  partnerId,
  notes: notesField,
});

export const manualCodeAnswer = Type.Object({
  attemptId: Type.Integer(),
  correlationId: Type.String(),
  status: Type.String({ description: 'DISPATCHED, or DISPATCH_FAILED with `success` false' }),
  emailSent: Type.Boolean(),
  errorMessage: Type.Union([Type.String(), Type.Null()]),
});

export function toManualCodeAnswer(outcome: RecoveryOutcome) {
  const { correlationId, status, emailSent, errorMessage, attemptIds } = outcome;
  return { attemptId: attemptIds[0] ?? 0, correlationId, status, emailSent, errorMessage };
}

/** Interface part 4, manual-codes request. */
export const manualCodesBody = Type.Object({
  notes: notesField,
  items: Type.Array(
    Type.Object({
      orderItemId: Type.Integer({ minimum: 1 }),
      variantId: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
      partnerId,
      codes: Type.Array(Type.Object({ ...typedCode, partnerId }), { maxItems: 100 }),
    }),
    { minItems: 1, maxItems: 20 },
  ),
});

/** Decisions 6.3. */
export const manualCodesAnswer = Type.Object({
  correlationId: Type.String(),
  emailSent: Type.Boolean(),
  orderStatus: Type.String(),
  items: Type.Array(
    Type.Object({
      orderItemId: Type.Integer(),
      attemptId: Type.Integer(),
      status: Type.String(),
      codesSaved: Type.Integer(),
      errorMessage: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
});

export function toManualCodesAnswer(
  outcome: RecoveryOutcome,
  items: readonly { readonly orderItemId: number; readonly codes: readonly unknown[] }[],
) {
  return {
    correlationId: outcome.correlationId,
    emailSent: outcome.emailSent,
    orderStatus: outcome.orderStatus,
    items: items.map((item, index) => ({
      orderItemId: item.orderItemId,
      attemptId: outcome.attemptIds[index] ?? 0,
      status: outcome.status,
      codesSaved: item.codes.length,
      errorMessage: outcome.errorMessage,
    })),
  };
}

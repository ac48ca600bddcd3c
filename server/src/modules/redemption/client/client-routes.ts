import { Type } from 'typebox';

import { answer, endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint, RequestLimit } from '../../../platform/http/endpoint.ts';
import { lookupSchema, redeemBodySchema, redeemedSchema, toVisitedCampaign } from './client-wire.ts';
import { lookUpCode } from './look-up-code.ts';
import type { LookUpDeps } from './look-up-code.ts';
import { redeemCode } from './redeem-code.ts';
import type { RedeemDeps } from './redeem-code.ts';
import { visitorOf } from './visitor.ts';

const tag = 'Redemption';
/** Of the API and the pages together. */
export const redemptionLimits: readonly RequestLimit[] = [
  { name: 'redemption', per: 'address', requests: 120, windowSeconds: 60 },
];

export function clientRoutes(deps: LookUpDeps & RedeemDeps): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/redemption/lookup/:code',
      access: 'anonymous',
      summary: 'What a code from a QR link is good for',
      description: 'Never consumes the code. Refusals carry `data.code`; see the error list.',
      tag,
      params: Type.Object({ code: Type.String({ minLength: 1, maxLength: 200 }) }),
      data: lookupSchema,
      errors: ['NOT_FOUND', 'GONE'],
      limits: redemptionLimits,
      handle: async ({ params, request }) => {
        const found = await lookUpCode(deps, { token: params.code, visitor: visitorOf(request) });
        return {
          status: found.status,
          campaign: toVisitedCampaign(found.campaign),
          requires: { phone: true as const, email: false as const },
        };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/redemption/redeem',
      access: 'anonymous',
      summary: 'Redeem a code and get the voucher code behind it',
      description:
        'Once. From the same address it is shown again for 24 hours. With `email` the voucher code is sent there too.',
      tag,
      body: redeemBodySchema,
      data: redeemedSchema,
      errors: ['NOT_FOUND', 'GONE'],
      limits: redemptionLimits,
      handle: async ({ body, request }) => {
        const redeemed = await redeemCode(deps, {
          token: body.code,
          phone: firstFilled(body.phone, body.msisdn),
          email: firstFilled(body.email),
          visitor: visitorOf(request),
        });
        return answer(
          {
            status: 'redeemed' as const,
            campaign: toVisitedCampaign(redeemed.campaign),
            voucher_code: redeemed.voucherCode,
            instructions: redeemed.instructions,
          },
          { message: 'Here is your code' },
        );
      },
    }),
  ];
}

function firstFilled(...texts: (string | null | undefined)[]): string {
  return texts.map((text) => (text ?? '').trim()).find((text) => text !== '') ?? '';
}

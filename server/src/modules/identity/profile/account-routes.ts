import { Type } from 'typebox';

import { profileSchema, profileToWire } from '../accounts/account-wire.ts';
import { msisdnSchema, parseMsisdn } from '../accounts/msisdn.ts';
import { findUser } from '../accounts/user-store.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { languageOf, languageQuery } from '../../../platform/language.ts';
import { OTP_LIFE_SECONDS } from '../otp/otp-rules.ts';
import { currentPasswordSchema } from '../passwords/password-routes.ts';
import { tokenRefused } from '../errors.ts';
import { visitorOf } from '../visitor.ts';
import { confirmMsisdnChange, startMsisdnChange } from './change-msisdn.ts';
import type { ChangeMsisdnDeps } from './change-msisdn.ts';
import { closeAccount } from './close-account.ts';
import type { CloseAccountDeps } from './close-account.ts';
import { exportAccount } from './export-account.ts';
import { exportSchema, exportToWire } from './profile-wire.ts';

const TAG = 'User account';
const proofSchema = Type.String({ minLength: 1, maxLength: 128 });

export type AccountRoutesDeps = ChangeMsisdnDeps & CloseAccountDeps;

export function ownAccountEndpoints(deps: AccountRoutesDeps): Endpoint[] {
  return [startChange(deps), confirmChange(deps), exportAll(deps), close(deps)];
}

function startChange(deps: AccountRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/user/msisdn/change',
    access: 'client',
    tag: TAG,
    summary: 'Send a code to my new number',
    query: Type.Object(languageQuery),
    body: Type.Object({ msisdn: msisdnSchema, password: currentPasswordSchema }),
    data: Type.Object({ expires_in: Type.Integer({ description: 'Seconds' }) }),
    errors: ['CONFLICT'],
    async handle({ caller, query, body, request }) {
      await startMsisdnChange(deps, {
        userId: caller.userId,
        msisdn: parseMsisdn(body.msisdn),
        password: body.password,
        visitor: visitorOf(request),
        language: languageOf(query.lang, request.headers['accept-language']),
      });
      return { expires_in: OTP_LIFE_SECONDS };
    },
  });
}

function confirmChange(deps: AccountRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/user/msisdn/confirm',
    access: 'client',
    tag: TAG,
    summary: 'Take the new number; every other session ends',
    body: Type.Object({ msisdn: msisdnSchema, otp_code: proofSchema }),
    data: profileSchema,
    errors: ['CONFLICT'],
    async handle({ caller: { userId, sessionId }, body }) {
      await confirmMsisdnChange(deps, {
        userId,
        sessionId,
        msisdn: parseMsisdn(body.msisdn),
        proof: body.otp_code,
      });
      const user = await findUser(deps.db, userId);
      if (!user) throw tokenRefused();
      return profileToWire(user);
    },
  });
}

function exportAll(deps: AccountRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/user/data-export',
    access: 'client',
    limits: [{ name: 'data-export', per: 'caller', requests: 5, windowSeconds: 3600 }],
    tag: TAG,
    summary: 'A copy of what is kept about me',
    data: exportSchema,
    handle: async ({ caller }) => exportToWire(await exportAccount(deps, caller.userId)),
  });
}

function close(deps: AccountRoutesDeps): Endpoint {
  return endpoint({
    method: 'DELETE',
    path: '/user/account',
    access: 'client',
    tag: TAG,
    summary: 'Close my account for good',
    description:
      'Takes a code of `POST /auth/send-otp` with purpose `close_account`. Name, number and address are erased; ' +
      'orders and payments stay as money records. Not while an order is under way.',
    body: Type.Object({ otp_code: proofSchema }),
    data: Type.Null(),
    errors: ['CONFLICT'],
    async handle({ caller, body }) {
      await closeAccount(deps, { userId: caller.userId, proof: body.otp_code });
      return null;
    },
  });
}

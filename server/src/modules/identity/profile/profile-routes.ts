import { Type } from 'typebox';

import { emailSchema, nameSchema, profileSchema, profileToWire } from '../accounts/account-wire.ts';
import { findUser } from '../accounts/user-store.ts';
import { inOneStatement } from '../../../platform/db/database.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { tokenRefused } from '../errors.ts';
import { changeProfile, requestVerification, verifyEmail } from './change-profile.ts';
import type { ProfileDeps } from './change-profile.ts';
import { updateUserPreferences } from './profile-store.ts';
import { preferencesFromWire, preferencesSchema, preferencesToWire } from './profile-wire.ts';

const TAG = 'User account';

export function profileEndpoints(deps: ProfileDeps): Endpoint[] {
  return [
    getProfile(deps),
    patchProfile(deps),
    sendVerification(deps),
    verify(deps),
    getPreferences(deps),
    putPreferences(deps),
  ];
}

async function getUser(deps: ProfileDeps, userId: number) {
  const user = await findUser(deps.db, userId);
  if (!user) throw tokenRefused();
  return user;
}

function getProfile(deps: ProfileDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/user/profile',
    access: 'client',
    tag: TAG,
    summary: 'My profile',
    data: profileSchema,
    handle: async ({ caller }) => profileToWire(await getUser(deps, caller.userId)),
  });
}

function patchProfile(deps: ProfileDeps): Endpoint {
  return endpoint({
    method: 'PATCH',
    path: '/user/profile',
    access: 'client',
    tag: TAG,
    summary: 'Change my name, e-mail address or language',
    description: 'A new e-mail address gets a letter with a link to verify it.',
    body: Type.Partial(
      Type.Object({
        name: nameSchema,
        email: Type.Union([emailSchema, Type.Null()]),
        language: Type.Enum(['en', 'bn']),
      }),
    ),
    data: profileSchema,
    async handle({ caller, body }) {
      const { name, ...rest } = body;
      const change = { ...rest, ...(name === undefined ? {} : { name: name.trim() }), userId: caller.userId };
      return profileToWire(await changeProfile(deps, change));
    },
  });
}

function sendVerification(deps: ProfileDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/user/email/send-verification',
    access: 'client',
    tag: TAG,
    summary: 'Mail me a link that verifies my e-mail address',
    data: Type.Null(),
    errors: ['BAD_REQUEST', 'CONFLICT'],
    async handle({ caller }) {
      await requestVerification(deps, caller.userId);
      return null;
    },
  });
}

function verify(deps: ProfileDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/user/email/verify',
    access: 'anonymous',
    tag: TAG,
    summary: 'Verify an e-mail address with the token of the link; needs no sign-in, the token is the proof',
    body: Type.Object({ token: Type.String({ minLength: 1, maxLength: 128 }) }),
    data: Type.Object({ email_verified: Type.Literal(true) }),
    async handle({ body }) {
      await verifyEmail(deps, body.token);
      return { email_verified: true as const };
    },
  });
}

function getPreferences(deps: ProfileDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/user/preferences',
    access: 'client',
    tag: TAG,
    summary: 'My language, channels and consent',
    data: preferencesSchema,
    handle: async ({ caller }) => preferencesToWire(await getUser(deps, caller.userId)),
  });
}

function putPreferences(deps: ProfileDeps): Endpoint {
  return endpoint({
    method: 'PUT',
    path: '/user/preferences',
    access: 'client',
    tag: TAG,
    summary: 'Set my language, channels and consent',
    body: preferencesSchema,
    data: preferencesSchema,
    async handle({ caller, body }) {
      const values = preferencesFromWire(body);
      await inOneStatement(deps.db, (tx) => updateUserPreferences(tx, caller.userId, values));
      return preferencesToWire(await getUser(deps, caller.userId));
    },
  });
}

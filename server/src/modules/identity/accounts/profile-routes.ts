import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import type { Database } from '../../../platform/db/database.ts';
import { tokenRefused } from '../errors.ts';
import { profileSchema, profileToWire } from './account-wire.ts';
import { findUser } from './user-store.ts';

const TAG = 'User account';

export function profileEndpoints(deps: { db: Database }): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/user/profile',
      access: 'client',
      tag: TAG,
      summary: 'My profile',
      data: profileSchema,
      async handle({ caller }) {
        const user = await findUser(deps.db, caller.userId);
        if (!user) throw tokenRefused();
        return profileToWire(user);
      },
    }),
  ];
}

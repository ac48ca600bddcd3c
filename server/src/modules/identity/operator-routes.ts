import type { Endpoint } from '../../platform/http/endpoint.ts';
import { adminAuthEndpoints } from './admins/admin-auth-routes.ts';
import { adminEndpoints } from './admins/admin-routes.ts';
import { ownAccountEndpoints } from './admins/own-account-routes.ts';
import { adminPasswordResetEndpoints } from './admins/password-reset-routes.ts';
import { apiKeyEndpoints } from './api-keys/api-key-routes.ts';
import { auditEndpoints } from './audit/audit-routes.ts';
import { mfaEndpoints } from './mfa/mfa-routes.ts';
import type { IdentityParts } from './parts.ts';
import { peopleEndpoints } from './people/people-routes.ts';
import { roleEndpoints } from './roles/role-routes.ts';

/** Everything that operators do with themselves, with each other, and with what they did (operations A1 to A39). */
export function operatorEndpoints(parts: IdentityParts): Endpoint[] {
  return [
    ...adminAuthEndpoints(parts),
    ...adminPasswordResetEndpoints(parts),
    ...ownAccountEndpoints(parts),
    ...mfaEndpoints(parts),
    ...adminEndpoints(parts),
    ...roleEndpoints(parts),
    ...apiKeyEndpoints(parts),
    ...peopleEndpoints(parts),
    ...auditEndpoints(parts),
  ];
}

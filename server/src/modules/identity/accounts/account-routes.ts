import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { passwordEndpoints } from '../passwords/password-routes.ts';
import type { PasswordRoutesDeps } from '../passwords/password-routes.ts';
import { sessionEndpoints } from '../tokens/session-routes.ts';
import type { SessionRoutesDeps } from '../tokens/session-routes.ts';
import { ownAccountEndpoints } from '../profile/account-routes.ts';
import type { AccountRoutesDeps } from '../profile/account-routes.ts';
import type { ProfileDeps } from '../profile/change-profile.ts';
import { profileEndpoints } from '../profile/profile-routes.ts';
import { recipientEndpoints } from '../recipients/recipient-routes.ts';
import { registrationEndpoints } from './registration-routes.ts';
import type { RegistrationDeps } from './registration-routes.ts';
import { signInEndpoints } from './sign-in-routes.ts';
import type { SignInDeps } from './sign-in.ts';

export type AccountDeps = SignInDeps &
  RegistrationDeps &
  PasswordRoutesDeps &
  SessionRoutesDeps &
  ProfileDeps &
  AccountRoutesDeps;

/** Everything a customer does with an account (operations C1 to C27). */
export function accountEndpoints(deps: AccountDeps): Endpoint[] {
  return [
    ...signInEndpoints(deps),
    ...registrationEndpoints(deps),
    ...sessionEndpoints(deps),
    ...passwordEndpoints(deps),
    ...profileEndpoints(deps),
    ...ownAccountEndpoints(deps),
    ...recipientEndpoints(deps),
  ];
}

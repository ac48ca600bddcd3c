import { wire } from '../../faults/wire.ts';
import type { World } from '../../world.ts';
import { openAccount } from '../account.ts';
import type { Partner } from '../partner.ts';
import { AUDIENCES, createAccess } from './access.ts';
import { openAirtime } from './airtime.ts';
import { serveGiftCards } from './gift-card-routes.ts';
import { openGiftCards } from './gift-cards.ts';
import { serveTopups } from './topup-routes.ts';
import { balanceOf } from './wire-shapes.ts';

/** Reloadly: the vendor's three hosts (auth, topups, giftcards) on one address. */
export function createReloadly(world: World): Partner {
  const { clientId, clientSecret } = world.credentials.reloadly;
  return {
    name: 'reloadly',
    config: () => ({
      auth_base_url: world.url(),
      topups_base_url: world.url(),
      giftcards_base_url: world.url(),
      topups_audience: AUDIENCES.topups,
      giftcards_audience: AUDIENCES.giftcards,
      client_id: clientId,
      client_secret: clientSecret,
    }),
    serve(app) {
      const access = createAccess(world);
      const account = openAccount(world, 'reloadly');
      app.post('/oauth/token', wire('partner', 'token'), async (request, reply) =>
        access.grant(request, reply),
      );
      app.get('/accounts/balance', wire('partner', 'catalogue'), async (request, reply) => {
        if (!access.admit(request, reply, ['topups', 'giftcards'])) return reply;
        return balanceOf(account);
      });
      serveTopups(app, access, openAirtime(world, account));
      serveGiftCards(app, access, openGiftCards(world, account));
    },
  };
}

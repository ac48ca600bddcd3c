import { appAndShopCards } from './app-and-shop-cards.ts';
import { gameCards } from './game-cards.ts';
import { gameTopUps } from './game-top-ups.ts';
import { mobileProducts } from './mobile-products.ts';
import { softwareKeys } from './software-keys.ts';
import { subscriptions } from './subscriptions.ts';

import type { DemoProduct } from './demo-product.ts';

export const demoProducts: readonly DemoProduct[] = [
  ...gameTopUps,
  ...gameCards,
  ...appAndShopCards,
  ...mobileProducts,
  ...subscriptions,
  ...softwareKeys,
];

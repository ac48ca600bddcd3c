import type { Resource } from '../../../platform/resource/resource.ts';
import type { Clock } from '../../../platform/time.ts';
import type { Stock } from '../catalogue-snapshot.ts';
import {
  bannerResource,
  faqResource,
  pageResource,
  sectionItemResource,
  sectionResource,
} from './content-resources.ts';
import { paymentMethodResource } from './payment-method-resource.ts';
import { productResource } from './product-resource.ts';
import { brandResource, categoryResource, productTypeResource, tagResource } from './shelf-resources.ts';
import { withProductStock, withVariantStock } from './stock-fields.ts';
import { variantResource } from './variant-resource.ts';

/** Everything operators curate, in the order of the admin API's description. */
export function catalogueResources({ clock, stock }: { clock: Clock; stock: Stock }): Resource[] {
  return [
    brandResource,
    categoryResource,
    tagResource,
    productTypeResource,
    withProductStock(productResource(clock), stock),
    withVariantStock(variantResource, stock),
    paymentMethodResource,
    faqResource,
    bannerResource,
    sectionResource,
    sectionItemResource,
    pageResource,
  ];
}

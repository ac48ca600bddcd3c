interface ProductBase {
  productId: number;
  productName: string;
  brand: { brandId: number; brandName: string };
  countryCode: string;
  countryName: string;
}

/** Face values and prices are US cents. */
export type GiftProduct = ProductBase &
  ({ fixedMinor: readonly number[] } | { minMinor: number; maxMinor: number });

const US = { countryCode: 'US', countryName: 'United States' } as const;

const PRODUCTS: readonly GiftProduct[] = [
  {
    productId: 11,
    productName: 'Steam USD',
    brand: { brandId: 1, brandName: 'Steam' },
    ...US,
    fixedMinor: [500, 1000, 2000, 5000],
  },
  {
    productId: 12,
    productName: 'Google Play USD',
    brand: { brandId: 2, brandName: 'Google Play' },
    ...US,
    fixedMinor: [500, 1000, 2500],
  },
  {
    productId: 13,
    productName: 'Apple USD',
    brand: { brandId: 3, brandName: 'Apple' },
    ...US,
    minMinor: 200,
    maxMinor: 20_000,
  },
  {
    productId: 14,
    productName: 'Netflix USD',
    brand: { brandId: 4, brandName: 'Netflix' },
    ...US,
    fixedMinor: [1500, 3000],
  },
  {
    productId: 15,
    productName: 'PlayStation USD',
    brand: { brandId: 5, brandName: 'PlayStation' },
    ...US,
    fixedMinor: [1000, 2500],
  },
];

export function listProducts(countryCode?: string): GiftProduct[] {
  return PRODUCTS.filter(
    (product) => countryCode === undefined || product.countryCode === countryCode.toUpperCase(),
  );
}

export function findProduct(productId: number): GiftProduct | undefined {
  return PRODUCTS.find((product) => product.productId === productId);
}

export function sellsAt(product: GiftProduct, unitMinor: number): boolean {
  if ('fixedMinor' in product) return product.fixedMinor.includes(unitMinor);
  return unitMinor >= product.minMinor && unitMinor <= product.maxMinor;
}

export function describeProduct(product: GiftProduct) {
  const fixed = 'fixedMinor' in product ? product.fixedMinor.map((minor) => minor / 100) : [];
  const range =
    'minMinor' in product
      ? { min: product.minMinor / 100, max: product.maxMinor / 100 }
      : { min: null, max: null };
  return {
    productId: product.productId,
    productName: product.productName,
    global: false,
    status: 'ACTIVE',
    supportsPreOrder: false,
    senderFee: 0,
    senderFeePercentage: 0,
    discountPercentage: 0,
    denominationType: fixed.length > 0 ? 'FIXED' : 'RANGE',
    recipientCurrencyCode: 'USD',
    minRecipientDenomination: range.min,
    maxRecipientDenomination: range.max,
    senderCurrencyCode: 'USD',
    minSenderDenomination: range.min,
    maxSenderDenomination: range.max,
    fixedRecipientDenominations: fixed,
    fixedSenderDenominations: fixed,
    fixedRecipientToSenderDenominationsMap:
      fixed.length > 0 ? Object.fromEntries(fixed.map((value) => [value.toFixed(2), value])) : null,
    logoUrls: [],
    brand: product.brand,
    category: { id: 1, name: 'Gaming' },
    country: { isoName: product.countryCode, name: product.countryName, flagUrl: null },
    redeemInstruction: describeInstruction(product),
  };
}

export function describeInstruction({ brand }: GiftProduct) {
  const concise = `Sign in to ${brand.brandName} and enter the code.`;
  return { concise, verbose: `${concise} The value is added to your account at once.` };
}

/**
 * The demo shop. Every name in it is invented; prices are what such things cost in Bangladesh.
 * The data stands in this folder one file per shelf, to be read and changed without touching the seeding.
 */
export interface DemoProduct {
  readonly slug: string;
  readonly name: string;
  readonly nameBn: string;
  readonly description: string;
  readonly descriptionBn: string;
  /** Slugs. */
  readonly brand: string;
  readonly category: string;
  readonly type: string;
  readonly tags?: readonly string[];
  readonly status?: 'draft' | 'active' | 'archived';
  readonly mode: 'CODE' | 'TOPUP';
  readonly engine: 'PRELOADED' | 'PARTNER';
  /** What the product asks of its buyer; e-mail when left out. */
  readonly fields?: readonly DemoField[];
  /** In front of every SKU. */
  readonly sku: string;
  /** What a variant's size counts: `{en: 'Diamonds'}` makes "100 Diamonds". */
  readonly unit?: { readonly en: string; readonly bn: string };
  readonly variants: readonly DemoVariant[];
  /** What its stored codes look like; needed for PRELOADED. */
  readonly codes?: DemoCodes;
}

export interface DemoVariant {
  /** Counted in the product's unit, or named outright. */
  readonly size?: string;
  readonly name?: string;
  readonly nameBn?: string;
  /** Ends the SKU; the size when left out. */
  readonly sku?: string;
  /** BDT, as text. */
  readonly price: string;
  /** The crossed-out price. */
  readonly was?: string;
  readonly maxQuantity?: number;
  /** How many codes lie ready, where it shall not be an even share: few, or none. */
  readonly stock?: number;
}

export interface DemoField {
  readonly name: string;
  readonly label: string;
  readonly label_bn: string;
  readonly type: string;
  readonly required: boolean;
  readonly pattern?: string;
  readonly options?: readonly { readonly value: string; readonly label: string; readonly label_bn: string }[];
}

export interface DemoCodes {
  /** `?` is a letter or digit, `#` a digit, anything else itself. */
  readonly shape: string;
  readonly pinDigits?: number;
  readonly serialPrefix?: string;
  /** The code is added at the end. */
  readonly redemptionUrl?: string;
  readonly expiresInMonths?: number;
  readonly supplier: string;
}

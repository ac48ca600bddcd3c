import { parseAmount, printAmount } from '../../amount.ts';

interface FieldRule {
  name: string;
  maxLength: number;
  required?: boolean;
}

const MIN_MINOR = 1_000;
const MAX_MINOR = 50_000_000;

/** Taka for one unit, in ten-thousandths; other currencies are converted at the gateway. */
const RATES: Readonly<Record<string, number>> = {
  BDT: 10_000,
  USD: 1_215_000,
  EUR: 1_310_000,
  GBP: 1_540_000,
};
const RATE_UNIT = 10_000;

const required = (name: string, maxLength: number): FieldRule => ({
  name,
  maxLength,
  required: true,
});
const optional = (name: string, maxLength: number): FieldRule => ({ name, maxLength });

const ALWAYS: readonly FieldRule[] = [
  required('total_amount', 13),
  required('currency', 3),
  required('tran_id', 30),
  required('success_url', 255),
  required('fail_url', 255),
  required('cancel_url', 255),
  optional('ipn_url', 255),
  required('product_category', 100),
  required('product_name', 255),
  required('product_profile', 100),
  required('cus_name', 50),
  required('cus_email', 50),
  required('cus_add1', 50),
  required('cus_city', 50),
  required('cus_postcode', 30),
  required('cus_country', 50),
  required('cus_phone', 20),
  required('shipping_method', 50),
  required('num_of_item', 10),
  optional('multi_card_name', 30),
  optional('allowed_bin', 255),
  ...['value_a', 'value_b', 'value_c', 'value_d'].map((name) => optional(name, 255)),
];

const SHIPPED = ['ship_name', 'ship_add1', 'ship_city', 'ship_postcode', 'ship_country'].map((name) =>
  required(name, 50),
);

const BY_PROFILE: Readonly<Record<string, readonly FieldRule[]>> = {
  general: [],
  'physical-goods': [],
  'non-physical-goods': [],
  'airline-tickets': [
    'hours_till_departure',
    'flight_type',
    'pnr',
    'journey_from_to',
    'third_party_booking',
  ].map((name) => required(name, 256)),
  'travel-vertical': ['hotel_name', 'length_of_stay', 'check_in_time', 'hotel_city'].map((name) =>
    required(name, 256),
  ),
  'telecom-vertical': [
    required('product_type', 30),
    required('topup_number', 150),
    required('country_topup', 30),
  ],
};

export interface SessionAmount {
  /** In taka, what will be charged. */
  amountMinor: number;
  /** As ordered. */
  currencyType: string;
  currencyAmount: string;
  currencyRate: string;
}

/** The amount of a session request in taka, or why the session is refused. */
export function readSessionFields(
  fields: Readonly<Record<string, string>>,
): SessionAmount | { refused: string } {
  const rules = [
    ...ALWAYS,
    ...(fields['shipping_method'] === 'NO' ? [] : SHIPPED),
    ...(BY_PROFILE[fields['product_profile'] ?? ''] ?? []),
  ];
  for (const { name, maxLength, required: needed } of rules) {
    const value = fields[name];
    if (value === undefined && needed)
      return { refused: `Invalid Information. '${name}' is missing or empty.` };
    if (value !== undefined && value.length > maxLength)
      return { refused: `'${name}' must not exceed ${maxLength} characters.` };
  }
  if (!Object.hasOwn(BY_PROFILE, fields['product_profile'] ?? ''))
    return { refused: "'product_profile' is not valid." };
  for (const name of ['success_url', 'fail_url', 'cancel_url']) {
    if (!URL.canParse(fields[name] ?? '')) return { refused: `'${name}' is not a valid URL.` };
  }
  return readAmount(fields['total_amount'] ?? '', fields['currency'] ?? '');
}

function readAmount(total: string, currency: string): SessionAmount | { refused: string } {
  const orderedMinor = parseAmount(total);
  const rate = RATES[currency];
  if (orderedMinor === undefined) return { refused: "'total_amount' is not a valid amount." };
  if (rate === undefined) return { refused: `Currency '${currency}' is not supported.` };
  const amountMinor = Math.round((orderedMinor * rate) / RATE_UNIT);
  if (amountMinor < MIN_MINOR || amountMinor > MAX_MINOR) {
    return {
      refused: `Amount must be between ${printAmount(MIN_MINOR)} BDT and ${printAmount(MAX_MINOR)} BDT.`,
    };
  }
  return {
    amountMinor,
    currencyType: currency,
    currencyAmount: printAmount(orderedMinor),
    currencyRate: (rate / RATE_UNIT).toFixed(4),
  };
}

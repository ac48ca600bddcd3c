/** Mobile operators of Bangladesh; the sandbox sells airtime nowhere else. */
export interface Operator {
  operatorId: number;
  name: string;
  /** National prefixes, as in 017XXXXXXXX. */
  prefixes: readonly string[];
}

export const TAKA_PER_DOLLAR = 120;
export const MIN_LOCAL_MINOR = 1_000;
export const MAX_LOCAL_MINOR = 500_000;

const OPERATORS: readonly Operator[] = [
  { operatorId: 171, name: 'Grameenphone Bangladesh', prefixes: ['013', '017'] },
  { operatorId: 172, name: 'Robi Bangladesh', prefixes: ['018'] },
  { operatorId: 173, name: 'Banglalink Bangladesh', prefixes: ['014', '019'] },
  { operatorId: 174, name: 'Airtel Bangladesh', prefixes: ['016'] },
  { operatorId: 175, name: 'Teletalk Bangladesh', prefixes: ['015'] },
];

export function listOperators(): readonly Operator[] {
  return OPERATORS;
}

export function findOperator(operatorId: number): Operator | undefined {
  return OPERATORS.find((operator) => operator.operatorId === operatorId);
}

export function detectOperator(phone: string): Operator | undefined {
  const national = phone.replaceAll(/\D/g, '').replace(/^(?:880|0)?(?=1)/, '0');
  return OPERATORS.find(({ prefixes }) => prefixes.some((prefix) => national.startsWith(prefix)));
}

export function describeOperator({ operatorId, name }: Operator) {
  return {
    id: operatorId,
    operatorId,
    name,
    bundle: false,
    data: false,
    pin: false,
    supportsLocalAmounts: true,
    denominationType: 'RANGE',
    senderCurrencyCode: 'USD',
    senderCurrencySymbol: '$',
    destinationCurrencyCode: 'BDT',
    destinationCurrencySymbol: '৳',
    commission: 0,
    country: { isoName: 'BD', name: 'Bangladesh' },
    fx: { rate: TAKA_PER_DOLLAR, currencyCode: 'BDT' },
    minAmount: 0.09,
    maxAmount: 41.66,
    localMinAmount: MIN_LOCAL_MINOR / 100,
    localMaxAmount: MAX_LOCAL_MINOR / 100,
    status: 'ACTIVE',
  };
}

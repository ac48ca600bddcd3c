/** Whom a fault can meet, and which of the calls it answers (decisions, part 10). */
export const GATEWAY_NAMES = [
  'aggregator',
  'wallet_tokenized',
  'multi_wallet',
  'dcb',
  'wallet_direct',
] as const;
export type GatewayName = (typeof GATEWAY_NAMES)[number];

export const TARGETS = [...GATEWAY_NAMES, 'partner', 'smtp', 'sms'] as const;
export type Target = (typeof TARGETS)[number];

/** The calls a fault may be narrowed to. */
export const CALLS = [
  'init',
  'verify',
  'refund',
  'purchase',
  'query',
  'token',
  'delivery',
  'catalogue',
  'callback',
] as const;
export type Call = (typeof CALLS)[number];

/** The payment method values, accepted for the gateway that stands behind them. */
const ALIASES: Readonly<Record<string, Target>> = {
  gw_aggregator: 'aggregator',
  gw_wallet_tokenized: 'wallet_tokenized',
  gw_multi_wallet: 'multi_wallet',
  gw_wallet_direct: 'wallet_direct',
};

type Kind = 'gateway' | 'partner' | 'smtp' | 'sms';

interface FaultRule {
  kinds: readonly Kind[];
  /** Only these targets of those kinds, where the wire of the others has no place for it. */
  only?: readonly Target[];
  /** The calls it meets when it is not narrowed. */
  meets: readonly Call[];
}

// A balance or catalogue read must not eat a fault meant for a purchase, nor a
// token grant one meant for the call that needed the token: narrow to reach them.
const ANY_CALL = ['init', 'verify', 'refund', 'purchase', 'query', 'delivery'] as const;
const EVERYONE: readonly Kind[] = ['gateway', 'partner', 'smtp', 'sms'];
const HTTP_ONLY: readonly Kind[] = ['gateway', 'partner', 'sms'];

const RULES = {
  no_url: { kinds: ['gateway'], meets: ['init'] },
  error_500: { kinds: EVERYONE, meets: ANY_CALL },
  timeout: { kinds: EVERYONE, meets: ANY_CALL },
  html: { kinds: HTTP_ONLY, meets: ANY_CALL },
  rate_limited: { kinds: HTTP_ONLY, meets: ANY_CALL },
  slow: { kinds: EVERYONE, meets: ANY_CALL },
  unknown_result: { kinds: EVERYONE, meets: ['init', 'verify', 'refund', 'purchase', 'delivery'] },
  processing: { kinds: ['gateway', 'partner'], meets: ['verify', 'purchase'] },
  declined: { kinds: ['gateway', 'partner'], meets: ['verify', 'purchase'] },
  wrong_amount: { kinds: ['gateway'], meets: ['verify'] },
  wrong_currency: {
    kinds: ['gateway'],
    only: ['aggregator', 'wallet_tokenized'],
    meets: ['verify'],
  },
  expired_token: {
    kinds: ['gateway', 'partner'],
    only: ['wallet_tokenized', 'partner'],
    meets: ANY_CALL,
  },
  duplicate_callback: { kinds: ['gateway'], meets: ['callback'] },
  drop_callback: { kinds: ['gateway'], meets: ['callback'] },
  late_callback: { kinds: ['gateway'], meets: ['callback'] },
  out_of_stock: { kinds: ['partner'], meets: ['purchase'] },
  no_code: { kinds: ['partner'], meets: ['purchase'] },
  short_codes: { kinds: ['partner'], meets: ['purchase'] },
  low_balance: { kinds: ['partner'], meets: ['catalogue'] },
  repeat_code: { kinds: ['partner'], meets: ['purchase'] },
  reject: { kinds: ['smtp', 'sms'], meets: ['delivery'] },
} as const satisfies Record<string, FaultRule>;

export type Fault = keyof typeof RULES;

export function targetOf(name: string): Target | undefined {
  return TARGETS.find((target) => target === name) ?? ALIASES[name];
}

export function faultOf(name: string): Fault | undefined {
  return Object.hasOwn(RULES, name) ? (name as Fault) : undefined;
}

export function callOf(name: string): Call | undefined {
  return CALLS.find((call) => call === name);
}

function kindOf(target: Target): Kind {
  return target === 'partner' || target === 'smtp' || target === 'sms' ? target : 'gateway';
}

function ruleOf(fault: Fault): FaultRule {
  return RULES[fault];
}

export function faultsFor(target: Target): Fault[] {
  return (Object.keys(RULES) as Fault[]).filter((fault) => {
    const { kinds, only } = ruleOf(fault);
    return kinds.includes(kindOf(target)) && (only === undefined || only.includes(target));
  });
}

/** Whether a fault, narrowed or not, meets a call that carries these tags. */
export function meets(fault: Fault, calls: readonly Call[], narrowedTo?: Call): boolean {
  if (narrowedTo !== undefined) return calls.includes(narrowedTo);
  return calls.some((call) => ruleOf(fault).meets.includes(call));
}

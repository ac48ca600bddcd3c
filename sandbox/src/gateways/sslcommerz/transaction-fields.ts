import { createHash } from 'node:crypto';
import { printAmount } from '../../amount.ts';
import type { Session } from './sessions.ts';
import { storeAmount } from './sessions.ts';

const CARD = {
  card_type: 'BKASH-BKash',
  card_no: '',
  card_issuer: 'BKash Mobile Banking',
  card_brand: 'MOBILEBANKING',
  card_sub_brand: 'Classic',
  card_issuer_country: 'Bangladesh',
  card_issuer_country_code: 'BD',
} as const;

const ERROR_TEXT = { FAILED: 'Insufficient balance', CANCELLED: 'Cancelled by User' } as const;

type Fields = Record<string, string>;

function orderFields(session: Session): Fields {
  return {
    tran_id: session.tranId,
    tran_date: session.tranDate,
    amount: printAmount(session.amountMinor),
    currency: session.currency,
    currency_type: session.currencyType,
    currency_amount: session.currencyAmount,
    currency_rate: session.currencyRate,
    base_fair: '0.00',
    ...Object.fromEntries(
      ['value_a', 'value_b', 'value_c', 'value_d'].map((name) => [name, session.fields[name] ?? '']),
    ),
  };
}

/** What validation and query answers say of a transaction. */
export function transactionFields(session: Session): Fields {
  const paid = session.status === 'VALID';
  return {
    ...orderFields(session),
    val_id: session.valId ?? '',
    store_amount: paid ? storeAmount(session.amountMinor) : '',
    bank_tran_id: session.bankTranId,
    ...CARD,
    emi_instalment: '0',
    emi_amount: '0.00',
    emi_description: '',
    emi_issuer: CARD.card_issuer,
    account_details: '',
    risk_title: 'Safe',
    risk_level: '0',
    discount_percentage: '0',
    discount_amount: '0.00',
    discount_remarks: '',
    campaign_code: '',
  };
}

/** The form that IPN and browser carry, signed. What is left out by outcome is left out here too. */
export function callbackForm(session: Session, store: { storeId: string; storePassword: string }): Fields {
  const form: Fields = { ...orderFields(session), status: session.status, store_id: store.storeId };
  form['bank_tran_id'] = session.bankTranId;
  form['error'] =
    session.status === 'FAILED' || session.status === 'CANCELLED' ? ERROR_TEXT[session.status] : '';
  if (session.status !== 'CANCELLED') {
    Object.assign(form, CARD, { risk_level: '0', risk_title: 'Safe' });
    form['store_amount'] = storeAmount(session.amountMinor);
  }
  if (session.valId !== undefined) form['val_id'] = session.valId;
  return { ...form, ...signature(form, store.storePassword) };
}

/**
 * `verify_sign` is the MD5 of every named field plus the MD5 of the password, sorted by name;
 * `verify_sign_sha2` the SHA-256 of the same text.
 */
function signature(form: Readonly<Fields>, storePassword: string): Fields {
  const names = Object.keys(form).toSorted();
  const signed: Fields = {
    ...form,
    store_passwd: createHash('md5').update(storePassword).digest('hex'),
  };
  const text = Object.keys(signed)
    .toSorted()
    .map((name) => `${name}=${signed[name]}`)
    .join('&');
  return {
    verify_sign: createHash('md5').update(text).digest('hex'),
    verify_key: names.join(','),
    verify_sign_sha2: createHash('sha256').update(text).digest('hex'),
  };
}

/** The vendor's codes that this stand-in can answer, with their short texts. */
const STATUS_MESSAGES = {
  '0000': 'Successful',
  '2001': 'Invalid App Key',
  '2002': 'Invalid Payment ID',
  '2006': 'Invalid Amount',
  '2007': 'Invalid Currency',
  '2008': 'Invalid Intent',
  '2023': 'Insufficient Balance',
  '2026': 'Reversal amount cannot be greater than the original transaction amount',
  '2031': 'Invalid Merchant Invoice Number',
  '2033': 'Transaction Not Found',
  '2034': 'Transaction has already been reversed',
  '2048': 'Invalid Payer Reference',
  '2049': 'Invalid Merchant Callback URL',
  '2056': 'Invalid Payment State',
  '2062': 'The payment has already been completed',
  '2063': 'Mode is not valid',
  '2064': 'This payment mode is not available',
  '2065': 'Mandatory field missing',
  '2117': 'Payment execution already been called before',
} as const;

export type StatusCode = keyof typeof STATUS_MESSAGES;

export function status(statusCode: StatusCode) {
  return { statusCode, statusMessage: STATUS_MESSAGES[statusCode] };
}

/** The envelope of the v2 refund API, sent with HTTP 400. */
export function refundV2Error(externalCode: StatusCode) {
  const text = STATUS_MESSAGES[externalCode];
  return {
    internalCode: `refund_${externalCode}`,
    externalCode,
    errorMessageEn: text,
    errorMessageBn: text,
  };
}

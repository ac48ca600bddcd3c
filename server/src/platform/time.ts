/** Time is an argument, so that tests own it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

const dhakaDay = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Asia/Dhaka',
  year: '2-digit',
  month: '2-digit',
  day: '2-digit',
});

/** The calendar day in Dhaka as `YYMMDD`, as order numbers carry it. */
export function dhakaYymmdd(at: Date): string {
  const part = Object.fromEntries(dhakaDay.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${part['year']}${part['month']}${part['day']}`;
}

export const secondsAfter = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1000);

const DHAKA_OFFSET_MS = 6 * 60 * 60 * 1000; // Bangladesh keeps no summer time

/** The wall clock of Dhaka as ISO text without a zone: "2026-11-21T14:03:09.120". */
function dhakaIso(at: Date): string {
  return new Date(at.getTime() + DHAKA_OFFSET_MS).toISOString().slice(0, -1);
}

/** "2026-11-21 14:03:09" in Dhaka. */
export function dhakaDateTime(at = new Date()): string {
  return dhakaIso(at).slice(0, 19).replace('T', ' ');
}

/** "20261121140309" in Dhaka. */
export function dhakaDigits(at = new Date()): string {
  return dhakaIso(at).slice(0, 19).replaceAll(/\D/g, '');
}

/** "2026-11-21T14:03:09:120 GMT+0600", bKash's own form with a colon before the millis. */
export function dhakaGmtText(at = new Date()): string {
  return `${dhakaIso(at).replace('.', ':')} GMT+0600`;
}

/** Reads "20261121140309" as a moment in Dhaka. */
export function parseDhakaDigits(digits: string): Date | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(digits);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}+06:00`);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

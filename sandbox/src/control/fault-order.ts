import { CALLS, TARGETS, callOf, faultOf, faultsFor, targetOf } from '../faults/fault-catalogue.ts';
import type { ArmedFault } from '../faults/fault-box.ts';

/** A request to the control API that cannot be done, and what would be accepted. */
export interface Refusal {
  error: string;
  allowed?: readonly string[];
}

/** A field as text, whatever came in it. */
function said(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

const TIMES_LIMIT = 1_000_000;

/** Reads the body of `POST /_control/faults`: `{target, fault, times = 1, call?, delayMs?}`. */
export function readFaultOrder(body: unknown): ArmedFault | Refusal {
  const order = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const target = targetOf(said(order['target']));
  if (!target) return { error: `unknown target "${said(order['target'])}"`, allowed: TARGETS };
  const fault = faultOf(said(order['fault']));
  const allowed = faultsFor(target);
  if (!fault) return { error: `unknown fault "${said(order['fault'])}"`, allowed };
  if (!allowed.includes(fault)) return { error: `"${fault}" cannot meet ${target}`, allowed };
  const times = Number(order['times'] ?? 1);
  if (!Number.isInteger(times) || times < 0 || times > TIMES_LIMIT) {
    return { error: `"times" must be a whole number from 0 to ${TIMES_LIMIT}` };
  }
  // A form leaves what was not filled in as an empty string.
  const narrowed = order['call'] !== undefined && order['call'] !== '';
  const call = narrowed ? callOf(said(order['call'])) : undefined;
  if (narrowed && !call) return { error: `unknown call "${said(order['call'])}"`, allowed: CALLS };
  const delayMs = order['delayMs'] === undefined ? undefined : Number(order['delayMs']);
  if (delayMs !== undefined && !(delayMs >= 0))
    return { error: '"delayMs" must be a number of milliseconds' };
  return {
    target,
    fault,
    times,
    ...(call ? { call } : {}),
    ...(delayMs === undefined ? {} : { delayMs }),
  };
}

import type { Ledger } from '../ledger/ledger.ts';
import { meets } from './fault-catalogue.ts';
import type { Call, Fault, Target } from './fault-catalogue.ts';

export interface ArmedFault {
  target: Target;
  fault: Fault;
  /** How many more calls it meets. */
  times: number;
  call?: Call;
  /** For `slow` and `late_callback`. */
  delayMs?: number;
}

export interface FaultBox {
  /** Replaces what was armed for the same target, fault and call; `times: 0` clears the fault. */
  arm(fault: ArmedFault): void;
  armed(): ArmedFault[];
  clear(): void;
  /** Uses up one of the first of `faults` that is armed for a call with these tags. */
  takeFirst(target: Target, faults: readonly Fault[], calls: readonly Call[]): ArmedFault | undefined;
  take(target: Target, fault: Fault, calls: readonly Call[]): boolean;
}

/** Armed faults, kept in the ledger: a sandbox that is killed comes back as ill as it was. */
export function createFaultBox(ledger: Ledger): FaultBox {
  const table = ledger.table<ArmedFault>('faults');
  const keyOf = (armed: ArmedFault) => [armed.target, armed.fault, armed.call ?? '*'].join('/');
  const armed = () => table.rows().filter((row) => row.times > 0);

  function takeFirst(
    target: Target,
    faults: readonly Fault[],
    calls: readonly Call[],
  ): ArmedFault | undefined {
    const found = armed().find(
      (row) => row.target === target && faults.includes(row.fault) && meets(row.fault, calls, row.call),
    );
    if (found) table.put(keyOf(found), { ...found, times: found.times - 1 });
    return found;
  }

  return {
    arm(fault) {
      if (fault.times > 0) table.put(keyOf(fault), fault);
      else {
        for (const row of armed()) {
          const same = row.target === fault.target && row.fault === fault.fault;
          if (same && (fault.call === undefined || row.call === fault.call))
            table.put(keyOf(row), { ...row, times: 0 });
        }
      }
    },
    armed,
    clear: () => table.clear(),
    takeFirst,
    take: (target, fault, calls) => takeFirst(target, [fault], calls) !== undefined,
  };
}

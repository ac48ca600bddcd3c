import type { Credentials } from './credentials.ts';
import type { FaultBox } from './faults/fault-box.ts';
import type { Ledger } from './ledger/ledger.ts';

/** What every stand-in is built from. */
export interface World {
  ledger: Ledger;
  faults: FaultBox;
  credentials: Credentials;
  /** The sandbox's own address, without a trailing slash; known once it listens. */
  url(): string;
  /** Aborted when the sandbox closes: whatever waits must end at once. */
  closing: AbortSignal;
  /** bKash allows two token calls an hour; tests may allow more. */
  tokenCallsPerHour: number;
}

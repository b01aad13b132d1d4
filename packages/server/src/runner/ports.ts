import type { Catalogue, OutboundRequest, OutboundResponse } from '@millrace/core';
import type { Logger } from 'pino';
import type { Clock, Timers } from '../clock.ts';
import type { Store } from '../store/store.ts';

/** Everything the runner reaches the world through. */
export interface RunnerPorts {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly timers: Timers;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly http: (request: OutboundRequest, signal: AbortSignal) => Promise<OutboundResponse>;
  readonly matches: (pattern: string, text: string) => boolean;
  readonly log: Pick<Logger, 'warn' | 'error' | 'info' | 'debug'>;
  /** Names this process in leases. */
  readonly owner: string;
}

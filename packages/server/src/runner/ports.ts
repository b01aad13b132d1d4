import type {
  Captured,
  Catalogue,
  Json,
  JsonObject,
  ModelAnswer,
  ModelRequest,
  OutboundRequest,
  OutboundResponse,
} from '@millrace/core';
import type { Logger } from 'pino';
import type { Clock, Timers } from '../clock.ts';
import type { Store } from '../store/store.ts';

/** Regular expressions in linear time. */
export interface Patterns {
  matches(pattern: string, text: string): boolean;
  capture(pattern: string, text: string): Captured | null;
}

/** Everything the runner reaches the world through. */
export interface RunnerPorts {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly timers: Timers;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly http: (request: OutboundRequest, signal: AbortSignal) => Promise<OutboundResponse>;
  readonly askModel: (request: ModelRequest, signal: AbortSignal) => Promise<ModelAnswer>;
  readonly patterns: Patterns;
  /** The first rule that a value breaks; null when it fits. */
  readonly schemaFault: (schema: JsonObject, value: Json) => string | null;
  readonly log: Pick<Logger, 'warn' | 'error' | 'info' | 'debug'>;
  /** Whether somebody waits for this run's answer: then it is begun at once, however many more are accepted. */
  readonly isAwaited: (executionId: string) => boolean;
  /** Names this process in leases. */
  readonly owner: string;
}

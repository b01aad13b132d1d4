import type { Clock } from '../../ground/clock.ts';
import type { InputSchemas } from '../validation/input-schema.ts';
import type { RunValidity } from '../validation/run-validity.ts';
import type { Graphs } from '../workflows/graphs.ts';
import type { Acceptance } from './acceptance.ts';
import type { RejectedStarts } from './rejected-starts.ts';
import type { ResultWaiters } from './result-waiters.ts';
import type { Triggers } from './triggers.ts';

/** The dependencies of a start that a caller requests and may wait for, besides the store. */
export interface StartPorts {
  readonly graphs: Graphs;
  readonly triggers: Triggers;
  readonly inputSchemas: InputSchemas;
  readonly validity: RunValidity;
  readonly acceptance: Acceptance;
  readonly rejectedStarts: RejectedStarts;
  readonly resultWaiters: ResultWaiters;
  readonly clock: Clock;
}

import type { Failure } from './journal/history.ts';
import { position } from './position.ts';
import type { RunState } from './run-state.ts';

/** The process ended while a run had the event loop: the run crashed it, or stalled it. */
export interface RunIncident {
  /** How often this has happened to the run. */
  readonly count: number;
  readonly kind: 'crash' | 'stall';
  /** Whether the run was being resumed from its journal, or was performing steps. */
  readonly during: 'resume' | 'steps';
  /** The node that it was performing, if that is known. */
  readonly nodeId: string | null;
  /** How long it had not yielded the event loop, in milliseconds; 0 after a crash. */
  readonly stalledMs: number;
}

/** Incidents after which a run fails. The first may have another cause; after the second, another attempt is not worth it. */
const maxIncidents = 2;

/** Whether the run has crashed or stalled the process so often that it is not performed again. */
export function isQuarantined(incident: RunIncident | null): incident is RunIncident {
  return incident !== null && incident.count >= maxIncidents;
}

/**
 * The failure of a run that has crashed or stalled the process too often, and the node that it was performing.
 * @param state null if the run is not even resumed
 */
export function incidentFailure(
  { count, kind, nodeId, during, stalledMs }: RunIncident,
  state: RunState | null,
): { readonly failure: Failure; readonly nodeId: string | null } {
  const where = state === null || nodeId !== null ? null : position(state);
  const place = where === null ? `It was ${doing(nodeId, during)}.` : where.sentence;
  const last =
    kind === 'crash' ? 'the last time it crashed it' : `the last time it stalled it for ${seconds(stalledMs)}`;
  const message = `The execution crashed or stalled the service ${count} times; ${last}. ${place}`;
  return {
    failure: { code: kind === 'crash' ? 'run_lost' : 'run_stalled', message },
    nodeId: nodeId ?? where?.nodeId ?? null,
  };
}

function doing(nodeId: string | null, during: RunIncident['during']): string {
  if (nodeId !== null) return `performing node '${nodeId}'`;
  return during === 'resume' ? 'being resumed' : 'between two nodes';
}

function seconds(ms: number): string {
  return `at least ${Math.floor(ms / 1000)} s`;
}

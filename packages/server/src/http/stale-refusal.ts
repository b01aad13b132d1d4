import { presentDetail } from '@millrace/contract';
import type { StaleGraph } from '../services/stale-version.ts';
import { Refusal } from './route.ts';

/** With the whole graph, so that an editor can go on from it without asking again. */
export function staleRefusal(version: number, { workflow, graph }: StaleGraph): Refusal {
  return new Refusal(409, {
    detail: `The workflow is at version ${workflow.version}, not ${version}: somebody else has changed it.`,
    workflow: presentDetail(workflow, graph),
  });
}

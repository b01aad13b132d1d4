import { presentDetail } from '@millrace/contract';
import type { User } from '@millrace/core';
import type { Schedules } from '../../services/triggers/schedules.ts';
import type { StaleGraph } from '../../services/workflows/stale-version.ts';
import { jsonInPieces } from './json-in-pieces.ts';
import { JsonText, Rejection } from './route.ts';

/** With the whole graph, so that an editor can continue without another request. */
export async function staleRejection(
  schedules: Schedules,
  reader: User,
  { base, workflow, graph }: StaleGraph & { readonly base: number },
): Promise<Rejection> {
  const body = {
    detail: `The workflow is at version ${workflow.version}, not ${base}: somebody else has changed it.`,
    workflow: presentDetail(workflow, graph, await schedules.of(workflow, graph, reader)),
  };
  return new Rejection(409, new JsonText(await jsonInPieces(body)));
}

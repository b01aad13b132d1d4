import { ApiError, answerOf } from '@millrace/client';
import { client } from '../../api/client.ts';
import type { WorkflowDetail } from '../../api/workflows.ts';
import type { SaveRequest } from './draft.ts';
import type { SendOutcome } from './draft-store.ts';
import { answerFrom, graphFrom, requestBody } from './wire.ts';

/** Sends a request of a draft to the service. */
export async function sendOperations(slug: string, request: SaveRequest): Promise<SendOutcome> {
  const path = '/api/v1/workflows/{slug}/graph/';
  try {
    const body = await answerOf(client.POST(path, { params: { path: { slug } }, body: requestBody(request) }));
    return { kind: 'saved', answer: answerFrom(body) };
  } catch (error) {
    return error instanceof ApiError ? outcomeOf(error) : { kind: 'unknown' };
  }
}

/** What an error of the service means for the request that it answers. */
export function outcomeOf(error: ApiError): SendOutcome {
  const { workflow } = error.body as { readonly workflow?: WorkflowDetail };
  if (error.status === 409 && workflow !== undefined) return { kind: 'stale', graph: graphFrom(workflow) };
  const [issue] = error.fields;
  const index = issue?.loc[1] === 'operations' ? issue.loc[2] : undefined;
  if (issue !== undefined && typeof index === 'number') return { kind: 'rejected', index, message: issue.msg };
  // The service was busy, or it failed: it may have applied the request.
  if (error.status >= 500 || error.status === 429 || error.status === 408) return { kind: 'unknown' };
  if ([401, 403, 404].includes(error.status)) return { kind: 'blocked', message: error.message };
  // It will never accept this request. Without its first gesture, which becomes a conflict, it may accept the rest.
  return { kind: 'rejected', index: 0, message: error.message };
}

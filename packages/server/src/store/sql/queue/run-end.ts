import { formatInstant, type RunFinished } from '@millrace/core';

/** What the end of a run sets in its row. */
export const setEnd = `status = ?, error_code = ?, error_message = ?, error_node_id = ?, completed_at = ?, claimed_by = NULL, lease_until = NULL`;

/** The parameters of `setEnd`. */
export type EndParams = [
  status: string,
  code: string | null,
  message: string | null,
  nodeId: string | null,
  at: string,
];

/** The end of a run as the parameters of `setEnd`. */
export function endParams({ status, failure, nodeId, at }: RunFinished): EndParams {
  return [status, failure?.code ?? null, failure?.message ?? null, nodeId, formatInstant(at)];
}

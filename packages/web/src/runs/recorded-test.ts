import { exactJsonText } from '@millrace/core/editing';
import type { ExecutionDetail } from '../api/executions.ts';

/** A test of the workflow with what its execution exchanged with the outside, as the text of a file. JSON is YAML. */
export function recordedTest(execution: ExecutionDetail, cassette: object): string {
  const { workflow_slug: slug, trigger_node_id: trigger, trigger_payload: payload } = execution;
  const name = `As recorded on ${execution.accepted_at.slice(0, 10)}`;
  const test = { name, trigger, payload, ...cassette, expect: endOf(execution) };
  return `${exactJsonText({ workflow: `${slug}.yaml`, tests: [test] }, 2)}\n`;
}

function endOf({ status, final_output, error_code: code, error_node_id: node }: ExecutionDetail): object {
  if (status === 'completed') return { final_output };
  const error = { ...(node !== null && { node }), ...(code !== null && { code }) };
  return { status, ...(status === 'failed' && { error }) };
}

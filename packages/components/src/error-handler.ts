import {
  defineComponent,
  isObject,
  type Json,
  type SlicedWork,
  type StepContext,
  type StepResult,
  textOf,
  writtenJson,
} from '@millrace/core';
import { z } from 'zod';

export const errorHandler = defineComponent({
  type: 'error_handler',
  label: 'Error Handler',
  category: 'Logic',
  icon: 'shield-alert',
  color: '#ef4444',
  description: `Runs if the node before it fails: connect that node to this one by an edge labelled \`error\`.

The execution continues here instead of failing. The output describes the error: \`{{ error_handler.error.error }}\` is the
message, \`{{ error_handler.error.error_code }}\` its code and \`{{ error_handler.error.node_id }}\` the node that failed. With
\`join: any\`, several nodes can lead to one handler.`,
  errors: [],
  example: {
    workflow: `name: Price with a fallback
nodes:
  - {id: start, type: trigger_manual}
  - {id: fetch, type: http_request, url: "https://prices.example/tea"}
  - {id: failure, type: error_handler}
  - id: report
    type: template
    template: "Node {{ failure.error.node_id }} failed: {{ failure.error.error_code }}"
edges:
  - start -> fetch
  - fetch -error-> failure
  - failure -> report
`,
    tests: `tests:
  - name: The execution continues after the failure
    http:
      - {request: {url: "https://prices.example/tea"}, response: {status: 404}}
    expect:
      final_output: "Node fetch failed: http_status"
`,
  },
  inputs: [{ name: 'input', dataType: 'any', required: false, description: 'The error, from an `error` edge.' }],
  outputs: [{ name: 'error', dataType: 'object', description: 'The error: `error`, `error_code` and `node_id`.' }],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config: z.strictObject({}),
  run: ({ input, ctx }) => ctx.inSlices(outcomeFor(input, ctx)),
});

/** Always the same three keys: several errors at once are keyed by node, and a plain value becomes the message. */
function* outcomeFor(input: Json, { meter }: StepContext): SlicedWork<StepResult> {
  const failure = { error: null, error_code: null, node_id: null };
  if (isObject(input)) return { outputs: { error: { ...failure, ...input } } };
  const error = textOf(input) ?? (input === null ? null : yield* writtenJson(input, meter));
  return { outputs: { error: { ...failure, error } } };
}

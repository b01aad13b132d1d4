import type { LiveEvent } from '@millrace/core';
import { z } from 'zod';
import { json, jsonObject } from './base/json.ts';
import { edge, presentEdge } from './workflows/edge.ts';
import { node, presentNode } from './workflows/node.ts';
import { presentWorkflow, workflow } from './workflows/workflow.ts';

/** The envelope of every event. */
export const eventEnvelope = z.object({
  type: z.string(),
  channel: z.string(),
  timestamp: z.number().describe('Unix seconds.'),
  seq: z.int().describe('Increases with every event of a workflow, including across restarts of the service.'),
  version: z
    .int()
    .optional()
    .describe('For a change of a node or an edge: the version of the workflow that the change created.'),
  data: jsonObject,
});

const executionId = z.uuidv7();
const call = z
  .object({
    of: z.string().describe('The node that makes the call.'),
    index: z.int(),
    tool: z.string().optional().describe('The name of the tool. Absent for a call of the model itself.'),
  })
  .describe('For a call of an agent.');
const nodeStatus = z.object({
  execution_id: executionId,
  node_id: z.string(),
  frame: z
    .string()
    .describe(
      'Empty for the execution itself; `loop[3]` for an iteration of a loop, `agent[3]` for a call of an agent.',
    ),
  attempt: z
    .int()
    .describe('As in the logs of the execution: 0 for a skipped node and for a question before the first attempt.'),
  call: call.optional(),
  status: z.enum(['running', 'success', 'failed', 'skipped', 'retrying', 'waiting']),
  output: jsonObject.optional(),
  error: z.string().optional(),
  error_code: z.string().optional(),
  duration_ms: z.number().optional(),
  total: z.int().optional().describe('The number of iterations of a loop that begins.'),
  pinned: z.literal(true).optional().describe('The output is pinned, and the node was not performed.'),
});

/** The `data` of each event. */
export const eventData = {
  workflow_updated: workflow,
  node_created: node,
  node_updated: node,
  node_deleted: z.object({ node_id: z.string() }),
  edge_created: edge,
  edge_updated: edge,
  edge_deleted: z.object({ id: z.int() }),
  execution_started: z.object({ execution_id: executionId, trigger_node_id: z.string() }),
  node_status: nodeStatus,
  execution_completed: z.object({ execution_id: executionId, output: json }),
  execution_failed: z.object({
    execution_id: executionId,
    error: z.string(),
    error_code: z.string(),
    node_id: z.string().nullable().describe('The node whose failure ended the execution.'),
  }),
  execution_interrupted: z.object({
    execution_id: executionId,
    node_id: z.string().describe('The node that waits for a person.'),
    frame: z
      .string()
      .describe(
        'Empty for the execution itself; `loop[3]` for an iteration of a loop, `agent[3]` for a call of an agent.',
      ),
    call: call.optional(),
    prompt: z.string(),
  }),
  execution_cancelled: z.object({ execution_id: executionId }),
  token: z.object({
    execution_id: executionId,
    node_id: z.string().describe('The node whose model generates the text.'),
    frame: z
      .string()
      .describe(
        'Empty for the execution itself; `loop[3]` for an iteration of a loop, `agent[3]` for a call of an agent.',
      ),
    attempt: z.int().describe('As in the logs of the execution. The text of each attempt starts from the beginning.'),
    call: z
      .int()
      .optional()
      .describe(
        'For an agent with tools, the index of the call of its model: `ai[2]` is call 2. Each call has a text of its own.',
      ),
    offset: z.int().describe('The number of characters of the text before this one: a gap means that text was lost.'),
    text: z.string(),
  }),
} as const satisfies Record<LiveEvent['type'], z.ZodType>;

type EventData = z.infer<(typeof eventData)[LiveEvent['type']]>;

/** The `data` of an event in its JSON form. */
export function presentEvent(event: LiveEvent): EventData {
  switch (event.type) {
    case 'workflow_updated':
      return presentWorkflow(event.workflow);
    case 'node_created':
    case 'node_updated':
      return presentNode(event.node, event.schedule ?? null);
    case 'node_deleted':
      return { node_id: event.nodeId };
    case 'edge_created':
    case 'edge_updated':
      return presentEdge(event.edge);
    case 'edge_deleted':
      return { id: event.id };
    case 'execution_started':
      return { execution_id: event.executionId, trigger_node_id: event.triggerNodeId };
    case 'node_status':
      return presentStatus(event);
    case 'execution_completed':
      return { execution_id: event.executionId, output: event.output };
    case 'execution_failed': {
      const { code, message } = event.failure;
      return { execution_id: event.executionId, error: message, error_code: code, node_id: event.nodeId };
    }
    case 'execution_interrupted': {
      const { executionId: execution_id, nodeId: node_id, frame, call, prompt } = event;
      return { execution_id, node_id, frame, ...(call && { call }), prompt };
    }
    case 'execution_cancelled':
      return { execution_id: event.executionId };
    case 'token': {
      const { executionId: execution_id, nodeId: node_id, frame, attempt, call, offset, text } = event;
      return { execution_id, node_id, frame, attempt, ...(call !== undefined && { call }), offset, text };
    }
  }
}

function presentStatus(event: Extract<LiveEvent, { type: 'node_status' }>): z.infer<typeof nodeStatus> {
  const {
    executionId: execution_id,
    nodeId: node_id,
    frame,
    attempt,
    call,
    status,
    output,
    failure,
    durationMs,
    total,
    isPinned,
  } = event;
  return {
    execution_id,
    node_id,
    frame,
    attempt,
    ...(call && { call }),
    status,
    ...(output !== undefined && { output }),
    ...(failure !== undefined && { error: failure.message, error_code: failure.code }),
    ...(durationMs !== undefined && { duration_ms: durationMs }),
    ...(total !== undefined && { total }),
    ...(isPinned !== undefined && { pinned: isPinned }),
  };
}

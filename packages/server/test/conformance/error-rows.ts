import type { Part } from './row.ts';

/** A row of the specification's table of errors, and a request that causes it in a service with the test's `scene`. */
export interface SpecifiedError {
  readonly id: string;
  readonly says: string;
  readonly status: number;
  readonly request: readonly [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown];
  readonly body: unknown;
}

const edges = '/api/v1/workflows/flow/edges/';
const noEdge = { detail: 'Edge not found.' };

type Line = readonly [id: string, says: string, status: number, request: SpecifiedError['request'], body: unknown];

const lines: readonly Line[] = [
  ['workflow', 'workflow not found (GET)', 404, ['GET', '/api/v1/workflows/none/'], { detail: 'Workflow not found.' }],
  ['edge.update', 'edge not found (PATCH)', 404, ['PATCH', `${edges}999999/`, {}], noEdge],
  ['edge.delete', 'edge not found (DELETE)', 404, ['DELETE', `${edges}999999/`], noEdge],
  ['node', 'node not found', 404, ['GET', '/api/v1/workflows/flow/nodes/none/'], { detail: 'Node not found.' }],
  [
    'types',
    'incompatible output and input',
    422,
    ['POST', edges, { source_node_id: 'say', target_node_id: 'keep' }],
    {
      detail: {
        validation_errors: [
          "Source type 'template' output 'output' (text) is not compatible with target 'filter' input 'input' (array)",
        ],
      },
    },
  ],
  [
    'conditional.value',
    'conditional without `condition_value`',
    422,
    ['POST', edges, { source_node_id: 'route', target_node_id: 'say', edge_type: 'conditional' }],
    { detail: 'Conditional edges require a non-empty condition_value' },
  ],
  [
    'conditional.target',
    'conditional without `target_node_id`',
    422,
    ['POST', edges, { source_node_id: 'route', target_node_id: '', edge_type: 'conditional', condition_value: 'a' }],
    { detail: 'Conditional edges require a non-empty target_node_id' },
  ],
  [
    'conditional.source',
    'conditional from another type than `switch`',
    422,
    ['POST', edges, { source_node_id: 'say', target_node_id: 'route', edge_type: 'conditional', condition_value: 'a' }],
    { detail: "Conditional edges can only originate from 'switch' nodes" },
  ],
];

export const specifiedErrors: readonly SpecifiedError[] = lines.map(([id, says, status, request, body]) => ({
  id: `spec.error.${id}`,
  says,
  status,
  request,
  body,
}));

export const errorRows: readonly Part[] = [
  {
    title: 'Errors',
    rows: [
      ...specifiedErrors.map(({ id, says, status }) => ({
        id,
        says: `${status}: ${says}`,
        tests: ['conformance/errors: $id: $says'],
      })),
      {
        id: 'spec.error.webhook.401',
        says: '401: webhook with failed authentication',
        tests: ['webhooks.accept: that is %s is rejected with the same message'],
      },
      {
        id: 'spec.error.webhook.404',
        says: '404: missing webhook',
        tests: ['webhooks.accept: if no workflow has the slug'],
      },
    ],
  },
];

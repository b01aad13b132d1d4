import { type Instant, type JsonObject, nodeConfig } from '@millrace/core';
import type { GraphChange, NodeFields } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';

/** The slug of the workflow that a new service starts with. */
export const exampleSlug = 'example';

/** A payload that takes the first of its two branches. */
export const examplePayload: JsonObject = { kind: 'greeting', name: 'world' };

interface Sketch {
  readonly id: string;
  readonly type: string;
  readonly label: string;
  readonly at: readonly [x: number, y: number];
  readonly config: JsonObject;
}

const nodes: readonly Sketch[] = [
  {
    id: 'hook',
    type: 'trigger_webhook',
    label: 'A request comes in',
    at: [0, 100],
    config: { response_mode: 'respond_node' },
  },
  {
    id: 'route',
    type: 'switch',
    label: 'What kind is it?',
    at: [260, 100],
    config: { expression: "trigger.payload.kind | default('unknown')", enable_fallback: true },
  },
  {
    id: 'greet',
    type: 'transform',
    label: 'Greet',
    at: [520, 0],
    config: { fields: { message: "Hello, {{ trigger.payload.name | default('stranger', true) }}!" } },
  },
  {
    id: 'explain',
    type: 'transform',
    label: 'Explain',
    at: [520, 200],
    config: { fields: { message: 'Send {"kind": "greeting", "name": "…"} to be greeted.' } },
  },
  { id: 'joined', type: 'merge', label: 'Whichever ran', at: [780, 100], config: { mode: 'combine' } },
  { id: 'answer', type: 'respond', label: 'Answer the request', at: [1040, 100], config: { status: 200 } },
];

const edges: readonly (readonly [source: string, target: string, route?: string])[] = [
  ['hook', 'route'],
  ['route', 'greet', 'greeting'],
  ['route', 'explain', '__other__'],
  ['greet', 'joined'],
  ['explain', 'joined'],
  ['joined', 'answer'],
];

/**
 * Stores the example: a webhook, a switch with two branches, their merge, and the answer. Where its slug is taken, an
 * earlier start has stored it.
 */
export async function seedExample(store: Store, params: { ownerId: number; at: Instant }): Promise<void> {
  await store.workflows.insert({
    ...params,
    name: 'Example',
    slug: exampleSlug,
    description: 'Greets whoever posts a greeting. Change it, or delete it.',
    isActive: true,
    isPublic: false,
    isDefault: false,
    tags: ['example'],
    errorHandlerWorkflowId: null,
    inputSchema: null,
    outputSchema: null,
    maxExecutionSeconds: 900,
    concurrency: null,
    concurrencyKey: null,
    priority: 0,
    changes: [...nodes.map(createNode), ...edges.map(createEdge)],
  });
}

function createNode(sketch: Sketch): GraphChange {
  const [positionX, positionY] = sketch.at;
  const node: NodeFields = {
    nodeId: sketch.id,
    label: sketch.label,
    componentType: sketch.type,
    isEntryPoint: sketch.type.startsWith('trigger_'),
    interruptBefore: false,
    interruptAfter: false,
    positionX,
    positionY,
    config: nodeConfig.parse({ extra_config: sketch.config }),
    subworkflowId: null,
    codeBlockId: null,
  };
  return { kind: 'create_node', node };
}

function createEdge([source, target, route]: (typeof edges)[number]): GraphChange {
  return {
    kind: 'create_edge',
    edge: {
      sourceNodeId: source,
      targetNodeId: target,
      edgeType: route === undefined ? 'direct' : 'conditional',
      edgeLabel: '',
      conditionMapping: null,
      conditionValue: route ?? '',
      priority: 0,
    },
  };
}

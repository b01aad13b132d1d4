import { type Instant, type JsonObject, nodeConfig } from '@millrace/core';
import type { GraphChange, NodeFields } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';

/** The slug of the example workflow of a new service. */
export const exampleSlug = 'millrace-hello';

/**
 * The owner of the example: a user without a key or a password, so that it is in no real user's own list of workflows.
 */
const exampleOwner = 'millrace';

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
    label: 'Request',
    at: [0, 100],
    config: { response_mode: 'respond_node' },
  },
  {
    id: 'route',
    type: 'switch',
    label: 'Kind of request',
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
    config: { fields: { message: 'Send {"kind": "greeting", "name": "…"} to get a greeting.' } },
  },
  { id: 'joined', type: 'merge', label: 'Either branch', at: [780, 100], config: { mode: 'combine' } },
  { id: 'answer', type: 'respond', label: 'Response', at: [1040, 100], config: { status: 200 } },
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
 * Stores the example with its owner: a webhook, a switch with two branches, their merge, and the response. It is
 * public, so every user can read and run it. If its slug is taken, an earlier start has stored it.
 */
export async function seedExample(store: Store, at: Instant): Promise<void> {
  const owner =
    (await store.users.insert({ username: exampleOwner, isAdmin: false, at })) ??
    (await store.users.byUsername(exampleOwner));
  if (owner === null) throw new Error('the owner of the example could not be stored');
  await store.workflows.insert({
    ownerId: owner.id,
    at,
    name: 'Example',
    slug: exampleSlug,
    description: 'Answers a greeting. Read it, run it, and import its text under another slug to change it.',
    isActive: true,
    isPublic: true,
    isDefault: false,
    mcp: false,
    budget: null,
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

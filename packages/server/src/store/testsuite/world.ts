import type { Graph, Instant, Trigger, User, Workflow } from '@millrace/core';
import type { NewExecution, NewWorkflow, NodeFields, Store } from '../store.ts';

/** A moment with microseconds, from which the tests count. */
export const start: Instant = Date.UTC(2026, 0, 5, 10, 0, 0, 123) + 0.5;

/** The graph that runs of the tests pin. */
export const newGraph: Graph = { nodes: [], edges: [] };

/** What starts runs of the tests: about the size of a webhook's. */
export const someTrigger: Trigger = {
  payload: { order: 1042, customer: { name: 'Änne "A." Okafor', tags: ['new', '100%_sure'] }, total: 99.5, paid: true },
  text: '',
  headers: { 'content-type': 'application/json' },
  query: {},
};

let counter = 0;

/** A name that no other call gives. */
export function fresh(prefix: string): string {
  counter += 1;
  return `${prefix}-${counter}`;
}

/** Run ids that sort in the order of their making, as UUIDv7 do. */
export function newRunId(): string {
  counter += 1;
  return `01900000-0000-7000-8000-${String(counter).padStart(12, '0')}`;
}

export async function newUser(store: Store): Promise<User> {
  const user = await store.users.insert({ username: fresh('user'), isAdmin: false, at: start });
  if (user === null) throw new Error('the name is taken');
  return user;
}

/** The fields of a workflow, as the specification's defaults have them. */
export function workflowFields(ownerId: number): NewWorkflow {
  return {
    ownerId,
    name: 'Orders',
    slug: fresh('orders'),
    description: '',
    isActive: true,
    isPublic: false,
    isDefault: false,
    tags: null,
    errorHandlerWorkflowId: null,
    inputSchema: null,
    outputSchema: null,
    maxExecutionSeconds: 900,
    concurrency: null,
    at: start,
  };
}

/** A stored workflow, of a user of its own unless one is given. */
export async function newWorkflow(store: Store, fields: Partial<NewWorkflow> = {}): Promise<Workflow> {
  const ownerId = fields.ownerId ?? (await newUser(store)).id;
  const workflow = await store.workflows.insert({ ...workflowFields(ownerId), ...fields });
  if (workflow === 'slug_taken') throw new Error('the slug is taken');
  return workflow;
}

export function nodeFields(nodeId: string): NodeFields {
  return {
    nodeId,
    label: null,
    componentType: 'transform',
    isEntryPoint: false,
    interruptBefore: false,
    interruptAfter: false,
    positionX: 40,
    positionY: -20,
    config: { system_prompt: '', extra_config: { ['__proto__']: 'a key like any other' } },
    subworkflowId: null,
    codeBlockId: null,
  };
}

/** A run to be accepted. */
export function newExecution(workflow: Workflow, fields: Partial<NewExecution> = {}): NewExecution {
  return {
    id: newRunId(),
    workflowId: workflow.id,
    version: workflow.version,
    graph: newGraph,
    triggerNodeId: 'start',
    trigger: someTrigger,
    idempotency: null,
    at: start,
    ...fields,
  };
}

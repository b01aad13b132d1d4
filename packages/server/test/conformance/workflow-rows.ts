import { part } from './row.ts';

/** Workflows: their endpoints in the specification, and what the interface adds. */
export const workflowRows = [
  part('Workflow endpoints', 'spec.workflows', [
    [
      'list',
      'GET lists with `limit` (50) and `offset` (0): 200 `{items, total}`',
      'workflows.read: lists the newest first, 50 at a time',
      'workflows.read: shows the part that limit and offset name',
    ],
    [
      'list.visibility',
      'the list has what the caller owns or collaborates on',
      'workflows.read: shows and counts only what is the caller’s, public ones of others not either',
      'collaborators: finds the workflow in their list, unlike somebody to whom it is only public',
    ],
    [
      'create',
      'POST takes `name` and `slug`: 201 Workflow without nodes and edges',
      'workflows.create: answers 201 with every documented default',
    ],
    [
      'create.required',
      '`name` and `slug` are required',
      'workflows.create: says of a missing field that it is required',
    ],
    [
      'create.optional',
      'all other fields are optional, with the types of Workflow',
      'workflows.create: stores every field that it is given',
      'workflows.create: answers 422 naming %s when it is %j',
    ],
    ['read', 'GET one: 200 with `nodes` and `edges`', 'workflows.read: adds nodes and edges to the workflow'],
    [
      'read.missing',
      'GET one that is missing: 404 `Workflow not found.`',
      'workflows.read: answers 404 for %s',
      'conformance/errors: $id: $says',
    ],
    ['update', 'PATCH any subset: 200 updated Workflow', 'workflows.change: changes %s and nothing else'],
    [
      'update.event',
      'PATCH emits `workflow_updated`',
      'workflows.change: succeeds, publishes its event, and leaves version and updated_at as they are',
      'websocket: of a workflow tells its changes, as the API shows them',
    ],
    [
      'delete',
      'DELETE: 204 without a body; a soft delete',
      'workflows.change: answers 204 without a body, and the workflow is gone from everywhere',
    ],
    [
      'batch-delete',
      'POST batch-delete `{slugs}`: 204; each soft-deleted',
      'workflows.change: deletes the caller’s and ignores unknown and foreign slugs',
    ],
    ['batch-delete.required', '`slugs` is required', 'workflows.change: answers 422 to %j'],
    ['validate', 'POST validate: 200, whatever it finds', 'validate: finds nothing wrong with a workflow that can run'],
    [
      'validate.types',
      'validate checks the types of edges',
      'validate: reports an edge whose types fit no more, because its nodes came later',
    ],
    [
      'validate.connections',
      'validate checks required sub-components',
      'validate: names an agent without a model in the documented words',
      'models.edges: misses a model in the documented words, and finds nothing else',
    ],
    [
      'node-types',
      'GET node-types: 200 object keyed by component type',
      'node-types: is an object keyed by type, each entry with the documented fields',
    ],
  ]),
  part('Workflows, what the interface adds', 'interface.workflows', [
    [
      'slug.pattern',
      'a slug is 1 to 100 letters, digits, `-`, `_`, begins and ends with a letter or digit; else 422',
      'workflows.create: refuses the slug "%s"',
      'workflows.create: takes the slug "%s"',
    ],
    [
      'slug.reserved',
      '`node-types`, `batch-delete`, `validate-dsl`, `import` are reserved: 422',
      'workflows.create: refuses the reserved slug %s',
    ],
    [
      'slug.duplicate.create',
      "POST of a taken slug: 409 `Workflow with slug '<slug>' already exists.`",
      'workflows.create: refuses a slug that is taken with 409',
      'workflows.create: refuses a slug of another user’s with the same 409',
    ],
    [
      'slug.duplicate.update',
      'PATCH to a taken slug: the same 409',
      'workflows.change: refuses the slug of another workflow with 409 and takes its own',
    ],
    [
      'slug.free-again',
      'the slug of a deleted workflow is free',
      'workflows.create: takes the slug of a deleted workflow again',
    ],
    [
      'rename.event',
      'a rename is told on the old and the new channel',
      'websocket: follows its workflow when it is renamed; the new name is another channel for the same',
    ],
    [
      'rename',
      'the old slug is gone, the new one answers',
      'workflows.change: frees the old slug and answers at the new one',
    ],
    [
      'error-handler',
      '`error_handler_workflow_id` names a live workflow that the caller sees; else 422',
      'workflows.change: sets and clears the error handler',
      'workflows.create: refuses an error handler that belongs to somebody else',
    ],
    [
      'error-handler.start',
      'a failed execution starts the `trigger_error` of that workflow; a handler’s own failure starts none',
      'error-handlers: starts its error handler once, with what happened',
      'error-handlers: by a handler that fails itself, even where it is its own handler',
      'error-handlers: when the handler %s, and the execution says so',
    ],
    [
      'schemas',
      '`input_schema` and `output_schema` are JSON Schema 2020-12; else 422',
      'workflows.create: answers 422 naming %s when it is %j',
      'server/src/services/validation/input-schema: is refused when it is not JSON Schema 2020-12, with the place of the mistake',
    ],
    [
      'delete.hidden',
      'a deleted workflow is hidden everywhere',
      'workflows.change: answers 204 without a body, and the workflow is gone from everywhere',
      'workflows.read: is 404 for a deleted one',
    ],
    ['delete.triggers', 'its triggers stop', 'webhooks.accept: because its workflow was deleted'],
    [
      'delete.executions',
      'its running executions are cancelled',
      'conformance/workflows: cancels the executions that run or wait when their workflow is deleted',
    ],
    ['delete.history', 'its history stays', 'executions: is still there when its workflow was deleted, for its owner'],
    [
      'batch-delete.unknown',
      'batch delete ignores unknown and foreign slugs',
      'workflows.change: deletes the caller’s and ignores unknown and foreign slugs',
    ],
    ['batch-delete.empty', '`[]` is fine', 'workflows.change: takes an empty list'],
    [
      'concurrency',
      '`concurrency` limits the running executions of a workflow',
      'concurrency: runs so many executions of a workflow at once as it says, and all in the end',
      'concurrency: holds when the service is killed in between',
    ],
    ['inactive', '`is_active` false: its webhook is 404', 'webhooks.accept: because its workflow is not active'],
    ['inactive.schedule', '`is_active` false: its schedules are idle', 'schedules: and is idle while it is inactive'],
    [
      'public.read',
      '`is_public`: every authenticated user reads it',
      'workflows.read: lets everybody read a public workflow, and nobody but its owner change it',
    ],
    [
      'public.webhook',
      '`is_public`: every authenticated user runs its webhook',
      'webhooks.accept: because it is another user’s; unless it is public',
    ],
    [
      'public.write',
      'only owner and editors change a public workflow',
      'workflows.read: lets everybody read a public workflow, and nobody but its owner change it',
    ],
    [
      'default',
      '`is_default`: at most one of each owner',
      'workflows.create: leaves one default workflow of each owner',
      'collaborators: is one of each owner’s, whatever is shared',
    ],
    [
      'default.chat',
      'the default workflow receives chat messages that name none',
      'chats: goes to the default workflow of who says it',
    ],
    [
      'version',
      '`version` goes up with each change of the graph',
      'workflows.read: moves updated_at and the version with every change of the graph',
    ],
    [
      'further-fields',
      '`max_execution_seconds` is 900 and `concurrency` null when left out',
      'workflows.create: answers 201 with every documented default',
    ],
    [
      'collaborators',
      'GET and POST collaborators, PATCH and DELETE one',
      'collaborators: adds a collaborator, lists them, changes their role and ends it',
    ],
    ['collaborators.roles', 'a role is `editor` or `viewer`', 'collaborators: refuses %j, naming the field'],
    [
      'collaborators.owner',
      'only the owner manages them',
      'collaborators: is the owner’s: others learn no more than they may see',
    ],
    [
      'viewer',
      'a viewer who writes: 403 `You have read-only access to this workflow.`',
      'collaborators: who views reads everything and changes nothing',
    ],
    ['editor', 'an editor changes it', 'collaborators: who edits changes all but what is the owner’s'],
  ]),
];

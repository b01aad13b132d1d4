import { part } from './row.ts';

/** Workflows: their endpoints in the specification, and the additions of the interface. */
export const workflowRows = [
  part('Workflow endpoints', 'spec.workflows', [
    [
      'list',
      'GET lists with `limit` (50) and `offset` (0): 200 `{items, total}`',
      'workflows.read: lists the newest first, 50 at a time',
      'workflows.read: shows the page of limit and offset',
    ],
    [
      'list.visibility',
      'the list contains what the caller owns or collaborates on',
      'workflows.read: shows and counts only the caller’s workflows, not public ones of others',
      'collaborators: finds the workflow in their list, unlike a user who can only read it because it is public',
    ],
    [
      'create',
      'POST with `name` and `slug`: 201 Workflow without nodes and edges',
      'workflows.create: answers 201 with every documented default',
    ],
    ['create.required', '`name` and `slug` are required', 'workflows.create: reports a missing field as required'],
    [
      'create.optional',
      'all other fields are optional, with the types of Workflow',
      'workflows.create: stores every given field',
      'workflows.create: answers 422 naming %s if it is %j',
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
      'workflows.change: succeeds, publishes its event, and leaves version and updated_at unchanged',
      'websocket: of a workflow publishes its changes, as the API shows them',
    ],
    [
      'delete',
      'DELETE: 204 without a body; a soft delete',
      'workflows.change: answers 204 without a body, and the workflow is no longer found',
    ],
    [
      'batch-delete',
      'POST batch-delete `{slugs}`: 204; each soft-deleted',
      'workflows.change: deletes the caller’s workflows and ignores unknown slugs and those of others',
    ],
    ['batch-delete.required', '`slugs` is required', 'workflows.change: answers 422 to %j'],
    ['validate', 'POST validate: 200, whatever it finds', 'validate: reports nothing for a valid workflow'],
    [
      'validate.types',
      'validate checks the types of edges',
      'validate: reports an edge whose types do not match, because its nodes were created later',
    ],
    [
      'validate.connections',
      'validate checks required sub-components',
      'validate: reports an agent without a model with the documented message',
      'models.edges: reports a missing model with the documented message, and nothing else',
    ],
    [
      'node-types',
      'GET node-types: 200 object keyed by component type',
      'node-types: is an object keyed by type, each entry with the documented fields',
    ],
  ]),
  part('Workflows: additions of the interface', 'interface.workflows', [
    [
      'slug.pattern',
      'a slug is 1 to 100 letters, digits, `-`, `_`, begins and ends with a letter or digit; else 422',
      'workflows.create: rejects the slug "%s"',
      'workflows.create: accepts the slug "%s"',
    ],
    [
      'slug.reserved',
      '`node-types`, `batch-delete`, `validate-dsl`, `import` are reserved: 422',
      'workflows.create: rejects the reserved slug %s',
    ],
    [
      'slug.duplicate.create',
      "POST of an existing slug: 409 `Workflow with slug '<slug>' already exists.`",
      'workflows.create: rejects a slug in use with 409',
      'workflows.create: rejects a slug of another user with the same 409',
    ],
    [
      'slug.duplicate.update',
      'PATCH to an existing slug: the same 409',
      'workflows.change: rejects the slug of another workflow with 409 and accepts its own',
    ],
    [
      'slug.free-again',
      'the slug of a deleted workflow is free again',
      'workflows.create: accepts the slug of a deleted workflow',
    ],
    [
      'rename.event',
      'a rename is published on the old and the new channel',
      'websocket: follows its workflow when it is renamed; the new name is another channel of the same workflow',
    ],
    [
      'rename',
      'after a rename only the new slug is found',
      'workflows.change: frees the old slug and answers at the new one',
    ],
    [
      'error-handler',
      '`error_handler_workflow_id` is a workflow that exists and that the caller may see; else 422',
      'workflows.change: sets and clears the error handler',
      'workflows.create: rejects an error handler that belongs to another user',
    ],
    [
      'error-handler.start',
      'a failed execution starts the `trigger_error` of that workflow; a failed handler starts none',
      'error-handlers: starts its error handler once, with the details of the failure',
      'error-handlers: by a handler that fails itself, even if it is its own handler',
      'error-handlers: when the handler %s, and the execution shows the reason',
    ],
    [
      'schemas',
      '`input_schema` and `output_schema` are JSON Schema 2020-12; else 422',
      'workflows.create: answers 422 naming %s if it is %j',
      'server/src/services/validation/input-schema: is rejected if it is not JSON Schema 2020-12, with the position of the error',
    ],
    [
      'delete.hidden',
      'a deleted workflow is hidden everywhere',
      'workflows.change: answers 204 without a body, and the workflow is no longer found',
      'workflows.read: is 404 for a deleted one',
    ],
    ['delete.triggers', 'its triggers stop', 'webhooks.accept: if its workflow was deleted'],
    [
      'delete.executions',
      'its running executions are cancelled',
      'conformance/workflows: cancels the executions that run or wait when their workflow is deleted',
    ],
    [
      'delete.history',
      'its history is preserved',
      'executions: is still visible to its owner after its workflow was deleted',
    ],
    [
      'batch-delete.unknown',
      'batch delete ignores unknown slugs and those of other users',
      'workflows.change: deletes the caller’s workflows and ignores unknown slugs and those of others',
    ],
    ['batch-delete.empty', '`[]` is accepted', 'workflows.change: accepts an empty list'],
    [
      'concurrency',
      '`concurrency` limits the running executions of a workflow',
      'concurrency: runs at most as many executions at once as its limit, and completes all of them',
      'concurrency: holds after the service is killed and restarted',
    ],
    ['inactive', '`is_active` false: its webhook is 404', 'webhooks.accept: if its workflow is not active'],
    [
      'inactive.schedule',
      '`is_active` false: its schedules are idle',
      'schedules: and is idle while the workflow is inactive',
    ],
    [
      'public.read',
      '`is_public`: every authenticated user may read it',
      'workflows.read: allows everybody to read a public workflow, and only its owner to change it',
    ],
    [
      'public.webhook',
      '`is_public`: every authenticated user may call its webhook',
      'webhooks.accept: if it belongs to another user, unless it is public',
    ],
    [
      'public.write',
      'only the owner and editors may change a public workflow',
      'workflows.read: allows everybody to read a public workflow, and only its owner to change it',
    ],
    [
      'default',
      '`is_default`: at most one per owner',
      'workflows.create: allows one default workflow per owner',
      'collaborators: is per owner, whatever is shared',
    ],
    [
      'default.chat',
      'the default workflow receives chat messages that name no workflow',
      'chats: is sent to the default workflow of its sender',
    ],
    [
      'version',
      '`version` increases with each change of the graph',
      'workflows.read: updates updated_at and the version with every change of the graph',
    ],
    [
      'further-fields',
      '`max_execution_seconds` is 900 and `concurrency` null by default',
      'workflows.create: answers 201 with every documented default',
    ],
    [
      'collaborators',
      'GET and POST collaborators, PATCH and DELETE one',
      'collaborators: adds a collaborator, lists them, changes their role and removes them',
    ],
    ['collaborators.roles', 'the role is `editor` or `viewer`', 'collaborators: rejects %j with the field'],
    [
      'collaborators.owner',
      'only the owner manages them',
      'collaborators: is only for the owner: others get the error for what they may see',
    ],
    [
      'viewer',
      'a viewer who writes: 403 `You have read-only access to this workflow.`',
      'collaborators: with the role viewer reads everything and changes nothing',
    ],
    [
      'editor',
      'an editor may change the workflow',
      'collaborators: with the role editor changes everything except what only the owner may change',
    ],
  ]),
];

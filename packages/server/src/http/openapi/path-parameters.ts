interface PathParameter {
  readonly description: string;
  readonly schema:
    | { readonly type: 'string'; readonly format?: 'uuid' }
    | { readonly type: 'integer'; readonly minimum: 1 };
}

const text = { type: 'string' } as const;
const id = { type: 'integer', minimum: 1 } as const;

/** All path parameters; a path with a new one needs a line here. */
export const pathParameters: Readonly<Record<string, PathParameter>> = {
  slug: { description: 'The slug of the workflow.', schema: text },
  workflow_slug: { description: 'The slug of the workflow.', schema: text },
  workflow_id: {
    description: 'The workflow, by its `id`, because another workflow may use its slug.',
    schema: id,
  },
  node_id: { description: 'The node, by its `node_id`.', schema: text },
  edge_id: { description: 'The edge, by its `id`.', schema: id },
  version: { description: 'The number of the version.', schema: id },
  name: { description: 'The name of the variable.', schema: text },
  key: { description: 'The key of the value.', schema: text },
  username: { description: 'The name of the user.', schema: text },
  key_id: { description: 'The key, by its `id`.', schema: id },
  credential_id: { description: 'The credential, by its `id`.', schema: id },
  execution_id: { description: 'The id of the execution.', schema: { type: 'string', format: 'uuid' } },
  token: { description: 'The last part of the URL of a waiting step.', schema: text },
};

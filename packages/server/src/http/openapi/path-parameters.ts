interface PathParameter {
  readonly description: string;
  readonly schema:
    | { readonly type: 'string'; readonly format?: 'uuid' }
    | { readonly type: 'integer'; readonly minimum: 1 };
}

const text = { type: 'string' } as const;
const id = { type: 'integer', minimum: 1 } as const;

/** Every parameter of a path: a path with another one needs its line here. */
export const pathParameters: Readonly<Record<string, PathParameter>> = {
  slug: { description: 'The workflow.', schema: text },
  workflow_slug: { description: 'The workflow.', schema: text },
  workflow_id: {
    description: 'The workflow, by its `id`: another workflow may have its slug by now.',
    schema: id,
  },
  node_id: { description: 'The node, by its `node_id`.', schema: text },
  edge_id: { description: 'The edge, by its `id`.', schema: id },
  version: { description: 'The number of the version.', schema: id },
  name: { description: 'The variable.', schema: text },
  key: { description: 'The key of the value.', schema: text },
  username: { description: 'The user.', schema: text },
  key_id: { description: 'The key, by its `id`.', schema: id },
  credential_id: { description: 'The credential, by its `id`.', schema: id },
  execution_id: { description: 'The execution.', schema: { type: 'string', format: 'uuid' } },
  token: { description: 'The last part of the address that a waiting step was given.', schema: text },
};

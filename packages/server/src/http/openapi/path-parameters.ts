/** The documentation of a parameter in the path of an endpoint. */
export interface PathParameter {
  readonly description: string;
  readonly schema:
    | { readonly type: 'string'; readonly format?: 'uuid' }
    | { readonly type: 'integer'; readonly minimum: 1 };
}

/** A parameter whose value is text. */
export function textParameter(description: string): PathParameter {
  return { description, schema: { type: 'string' } };
}

/** A parameter whose value is an id of the database, or another positive number. */
export function numberParameter(description: string): PathParameter {
  return { description, schema: { type: 'integer', minimum: 1 } };
}

/** The parameters that routes of several files have; other routes describe theirs in `params`. */
export const sharedParameters: Readonly<Record<string, PathParameter>> = {
  slug: textParameter('The slug of the workflow.'),
  workflow_slug: textParameter('The slug of the workflow.'),
  username: textParameter('The name of the user.'),
  credential_id: numberParameter('The credential, by its `id`.'),
  execution_id: { description: 'The id of the execution.', schema: { type: 'string', format: 'uuid' } },
  token: textParameter('The last part of the URL of a waiting step.'),
};

import type { OpenapiDocument, Operation } from '../packages/server/test/support/openapi.ts';

interface Variable {
  readonly variable: string;
  /** The operation whose response contains its value. */
  readonly by: string;
  readonly field: string;
}

/** The variables that do not come from the response of the POST of their collection. */
const given: readonly Variable[] = [
  { variable: 'SLUG', by: 'POST /api/v1/workflows/', field: 'slug' },
  { variable: 'WORKFLOW_ID', by: 'POST /api/v1/workflows/', field: 'id' },
  { variable: 'VERSION', by: 'GET /api/v1/workflows/{slug}/', field: 'version' },
  // A collaborator is a user, who must exist.
  { variable: 'USERNAME', by: 'POST /api/v1/users/', field: 'username' },
  { variable: 'EXECUTION_ID', by: 'POST /api/v1/webhooks/{workflow_slug}', field: 'execution_id' },
];

/** Variables that no response contains: the token in the URL of a waiting step (docs/waiting.md), and the id of a bot. */
const elsewhere: ReadonlySet<string> = new Set(['TOKEN', 'BOT_ID']);

/** Parameters whose names differ from their variables. */
const otherNames: Readonly<Record<string, string>> = { workflow_slug: 'SLUG', key: 'NAME' };

/** The queries of operations that need one. */
const queries: Readonly<Record<string, string>> = {
  'GET /api/v1/memory/facts/': '?scope=global&q=language',
  'PUT /api/v1/memory/facts/': '?scope=global&key=language',
  'DELETE /api/v1/memory/facts/': '?scope=global&key=language',
  'DELETE /api/v1/memory/people/': '?user_id=customer-17',
};

/** Body fields that must be replaced by a variable, because their example value does not exist. */
const inBodies: Readonly<Record<string, string>> = {
  execution_ids: 'EXECUTION_ID',
  ids: 'CREDENTIAL_ID',
  version: 'VERSION',
};

/**
 * The variables of all examples. For `/credentials/{credential_id}/` it is the field `credential_id` of the response of
 * `POST /credentials/`, or `id` if that response has no such field.
 */
export function variablesOf({ paths, components }: OpenapiDocument): readonly Variable[] {
  const derived = Object.keys(paths).flatMap((path) => {
    const [, collection = '', parameter = ''] = /^(.*\/)\{(\w+)\}\/$/.exec(path) ?? [];
    const variable = variableOf(parameter);
    const schema = paths[collection]?.post?.responses['201']?.content?.['application/json']?.schema;
    if (schema === undefined || given.some((known) => known.variable === variable)) return [];
    const { properties = {} } = components.schemas[String(schema.$ref).replace('#/components/schemas/', '')] ?? {};
    return [
      { variable, by: `POST ${collection}`, field: Object.hasOwn(properties as object, parameter) ? parameter : 'id' },
    ];
  });
  return [...given, ...derived];
}

/** The example requests of an endpoint, one per example body, as shell commands. */
export function curlsOf(operation: Operation, variables: readonly Variable[]): string[] {
  const { body, name } = operation;
  if (body === null) return [curlOf(operation, null, variables)];
  if (body.examples.length === 0 && !body.isRequired) return [curlOf(operation, null, variables)];
  if (body.examples.length === 0) {
    throw new Error(`${name} has no example: its route needs "examples: [{ … }]"`);
  }
  return body.examples.map((example) => curlOf(operation, example, variables));
}

function curlOf(operation: Operation, body: unknown, variables: readonly Variable[]): string {
  const { method, needsKey, name } = operation;
  const path = operation.path.replaceAll(
    /\{(\w+)\}/g,
    (_, parameter: string) => `$${checkedVariable(parameter, name, variables)}`,
  );
  const lines = [
    `curl -sS ${method === 'GET' || (method === 'POST' && body !== null) ? '' : `-X ${method} `}"$MILLRACE${path}${queries[name] ?? ''}"`,
    ...(needsKey ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(body === null ? [] : ['-H "Content-Type: application/json"', `-d '${bodyText(body)}'`]),
  ];
  const notes = variables
    .filter(({ by }) => by === name)
    .map(({ variable, field }) => `# $${variable}: "${field}" of the response`);
  return [lines.join(' \\\n  '), ...notes].join('\n');
}

function variableOf(parameter: string): string {
  return otherNames[parameter] ?? parameter.toUpperCase();
}

function checkedVariable(parameter: string, operation: string, variables: readonly Variable[]): string {
  const variable = variableOf(parameter);
  if (elsewhere.has(variable) || variables.some((known) => known.variable === variable)) return variable;
  throw new Error(`${operation}: name in scripts/api-curl.ts the response that contains {${parameter}}`);
}

function bodyText(body: unknown): string {
  const text = JSON.stringify(body, (field, value: unknown) => {
    const variable = inBodies[field];
    if (variable === undefined) return value;
    return Array.isArray(value) ? value.map((item) => placeOf(variable, item)) : placeOf(variable, value);
  });
  // A quote in the text would end the shell quotes; variables are outside the shell quotes.
  const quoted = text.replaceAll("'", "'\\''");
  return quoted.replaceAll(/"<number (\w+)>"/g, `'"$$$1"'`).replaceAll(/<text (\w+)>/g, `'"$$$1"'`);
}

/** The placeholder of a variable; a number has no JSON quotes around it. */
function placeOf(variable: string, example: unknown): string {
  return `<${typeof example === 'number' ? 'number' : 'text'} ${variable}>`;
}

import type { Operation } from '../packages/server/test/support/openapi.ts';

/**
 * The variables of the examples: the response field that each comes from. A path parameter or body field below stands
 * for the variable of the same name.
 */
const given: readonly { readonly variable: string; readonly by: string; readonly field: string }[] = [
  { variable: 'SLUG', by: 'POST /api/v1/workflows/', field: 'slug' },
  { variable: 'WORKFLOW_ID', by: 'POST /api/v1/workflows/', field: 'id' },
  { variable: 'VERSION', by: 'GET /api/v1/workflows/{slug}/', field: 'version' },
  { variable: 'NODE_ID', by: 'POST /api/v1/workflows/{slug}/nodes/', field: 'node_id' },
  { variable: 'EDGE_ID', by: 'POST /api/v1/workflows/{slug}/edges/', field: 'id' },
  { variable: 'EXECUTION_ID', by: 'POST /api/v1/webhooks/{workflow_slug}', field: 'execution_id' },
  { variable: 'KEY_ID', by: 'POST /api/v1/users/me/keys/', field: 'id' },
  { variable: 'USERNAME', by: 'POST /api/v1/users/', field: 'username' },
  { variable: 'NAME', by: 'POST /api/v1/variables/', field: 'name' },
  { variable: 'CREDENTIAL_ID', by: 'POST /api/v1/credentials/', field: 'id' },
];

/** Variables that no response contains: the token in the URL of a waiting step (docs/waiting.md). */
const elsewhere: ReadonlySet<string> = new Set(['TOKEN']);

/** Parameters whose names differ from their variables. */
const otherNames: Readonly<Record<string, string>> = { workflow_slug: 'SLUG', key: 'NAME' };

/** Body fields that must be replaced by a variable, because their example value does not exist. */
const inBodies: Readonly<Record<string, string>> = {
  execution_ids: 'EXECUTION_ID',
  ids: 'CREDENTIAL_ID',
  version: 'VERSION',
};

/** The example requests of an endpoint, one per example body, as shell commands. */
export function curlsOf(operation: Operation): string[] {
  const { body, name } = operation;
  if (body === null) return [curlOf(operation, null)];
  if (body.examples.length === 0 && !body.isRequired) return [curlOf(operation, null)];
  if (body.examples.length === 0) {
    throw new Error(`${name} has no example: its route needs "examples: [{ … }]"`);
  }
  return body.examples.map((example) => curlOf(operation, example));
}

function curlOf(operation: Operation, body: unknown): string {
  const { method, needsKey, name } = operation;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => `$${variableOf(parameter, name)}`);
  const lines = [
    `curl -sS ${method === 'GET' || (method === 'POST' && body !== null) ? '' : `-X ${method} `}"$MILLRACE${path}"`,
    ...(needsKey ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(body === null ? [] : ['-H "Content-Type: application/json"', `-d '${bodyText(body)}'`]),
  ];
  const notes = given
    .filter(({ by }) => by === name)
    .map(({ variable, field }) => `# $${variable}: "${field}" of the response`);
  return [lines.join(' \\\n  '), ...notes].join('\n');
}

function variableOf(parameter: string, operation: string): string {
  const variable = otherNames[parameter] ?? parameter.toUpperCase();
  if (elsewhere.has(variable) || given.some((known) => known.variable === variable)) return variable;
  throw new Error(`${operation}: say in scripts/api-curl.ts which answer gives {${parameter}}`);
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

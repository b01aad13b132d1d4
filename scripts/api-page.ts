import { anchorOf, fieldsOf, typeText } from '../packages/server/src/http/reference/fields.ts';
import { table } from '../packages/server/src/http/reference/markdown-table.ts';
import {
  type OpenapiDocument,
  type Operation,
  operationsOf,
  type Schema,
} from '../packages/server/test/support/openapi.ts';
import { curlsOf, variablesOf } from './api-curl.ts';

/** Statuses with the same meaning at almost every endpoint: the page describes them once. */
const usualStatuses = ['400', '401', '403', '413', '415', '429', '503'];

/** `docs/api.md`: every endpoint of the document, with a request that a test runs. */
export function apiPage(document: OpenapiDocument): string {
  const operations = operationsOf(document);
  const { schemas } = document.components;
  const usual = usualMeanings(operations);
  const variables = variablesOf(document);
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const sections = tags.map(
    (tag) =>
      `## ${tag}\n\n${operations
        .filter((one) => one.tag === tag)
        .map((one) => section(one, { usual, schemas, variables }))
        .join('\n\n')}`,
  );
  return `${introduction(tags, usual)}\n\n${sections.join('\n\n')}\n\n${objects(shownObjects(operations, schemas))}\n`;
}

/** Meanings by status. */
type Usual = ReadonlyMap<string, string>;

type Schemas = OpenapiDocument['components']['schemas'];

interface PageParts {
  readonly variables: ReturnType<typeof variablesOf>;
  readonly usual: Usual;
  readonly schemas: Schemas;
}

function introduction(tags: readonly string[], usual: Usual): string {
  const list = tags.map((tag) => `[${tag}](#${anchorOf(tag)})`).join(' · ');
  return `# The API

${list} · [Objects](#objects)

All paths are relative to the address of the service, by default \`http://127.0.0.1:7411\`. Bodies are
JSON, timestamps are UTC without a zone designator. Paths work with and without the trailing slash.
Every endpoint needs an API key and is open to every user, unless its section says otherwise.
[Errors](errors.md) lists the error codes.

The same interface is available as an OpenAPI 3.1 document at \`/openapi.json\`, and at \`/docs\` as a
page where you can try requests. Every operation has an \`operationId\`, and every body a named schema
and an example, so clients can be generated from the document. For TypeScript:

\`\`\`
npx openapi-typescript http://127.0.0.1:7411/openapi.json --default-non-nullable false -o api.d.ts
\`\`\`

The examples on this page need two variables. Other variables are values from earlier responses; a
comment below the example shows which. A test runs every example against a new service.

\`\`\`sh
export MILLRACE=http://127.0.0.1:7411
export KEY="$(cat data/admin.key)"
\`\`\`

## Unknown names

Unknown query parameters and body keys are ignored. The response header \`Millrace-Warning\` names each
one with the closest known name. With the request header \`Prefer: handling=strict\`
([RFC 7240](https://www.rfc-editor.org/rfc/rfc7240)), the response is 422 instead and nothing changes.

Read-only fields of a resource (\`id\`, \`node_count\`, timestamps) may be sent back: you can edit the
response of GET and send it as the body of PATCH. The body and the query of webhooks and callbacks
are data, so every name is allowed there.

## Common statuses

${table(['status', 'meaning'], [...usual])}`;
}

function section(operation: Operation, { usual, schemas, variables }: PageParts): string {
  const { name, summary, needsKey, parameters, body, raw } = operation;
  const rows = parameters.map(({ name: parameter, in: place, schema, description = '' }) => [
    `\`${parameter}\``,
    place,
    typeText(schema),
    description,
  ]);
  return [
    `### ${name}`,
    `${summary}.${needsKey ? '' : ' Needs no API key.'} (\`${raw.operationId}\`)`,
    raw.description ?? null,
    rows.length === 0 ? null : table(['parameter', 'in', 'type', 'meaning'], rows),
    body === null ? null : bodyText(body, schemas),
    answers(operation, usual),
    ...curlsOf(operation, variables).map((code) => `\`\`\`sh\n${code}\n\`\`\``),
  ]
    .filter((part) => part !== null)
    .join('\n\n');
}

function bodyText({ schema, isRequired }: NonNullable<Operation['body']>, schemas: Schemas): string {
  const fields = fieldsOf(schemas[nameIn(schema) ?? ''] ?? schema);
  const hasExamples = fields.some(({ examples }) => examples.length > 0);
  const rows = fields.map(({ name, type, absent, examples, meaning }) => {
    return [name, type, absent, ...(hasExamples ? [examplesText(examples)] : []), meaning];
  });
  const head = `Body${isRequired ? '' : ', optional'}:`;
  if (rows.length === 0) return `${head} ${typeText(schema)}.`;
  return `${head}\n\n${table(['field', 'type', 'default', ...(hasExamples ? ['example'] : []), 'meaning'], rows)}`;
}

function examplesText(examples: readonly unknown[]): string {
  return examples.map((value) => `\`${JSON.stringify(value)}\``).join(' ');
}

/** The name of the schema that a reference points to; undefined for an inline schema. */
function nameIn({ $ref }: Schema): string | undefined {
  return typeof $ref === 'string' ? $ref.replace('#/components/schemas/', '') : undefined;
}

/** All named schemas except those that only one section uses, which contains their fields. */
function shownObjects(operations: readonly Operation[], schemas: Schemas): Schemas {
  const texts = operations.flatMap(({ answers: documented }) => [...documented.values()].map(({ schema }) => schema));
  const linked = JSON.stringify([texts, Object.values(schemas)]);
  const inSections = operations.flatMap(({ body }) => {
    const name = body === null ? undefined : nameIn(body.schema);
    return name !== undefined && fieldsOf(schemas[name] ?? {}).length > 0 ? [name] : [];
  });
  const hidden = new Set(inSections.filter((name) => !linked.includes(`"#/components/schemas/${name}"`)));
  // The configs of components have their own pages.
  const isShown = (name: string): boolean => !hidden.has(name) && !name.endsWith('Config');
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => isShown(name)));
}

function answers({ answers: documented }: Operation, usual: Usual): string {
  const order = [...documented].sort(([a], [b]) => a.localeCompare(b));
  const isUsual = ([status, { description }]: (typeof order)[number]): boolean => usual.get(status) === description;
  const rows = order
    .filter((one) => !isUsual(one))
    .map(([status, { description, schema }]) => [status, schema === null ? '' : typeText(schema), description]);
  const others = order.filter(isUsual).map(([status]) => status);
  const also = others.length === 0 ? '' : `\n\nAlso [${others.join(', ')}](#common-statuses).`;
  return `${table(['status', 'body', 'meaning'], rows)}${also}`;
}

/** The meaning of each usual status, from the first endpoint that documents it. */
function usualMeanings(operations: readonly Operation[]): Usual {
  return new Map(
    usualStatuses.flatMap((status) => {
      const first = operations.find(({ answers: documented }) => documented.has(status));
      return first === undefined ? [] : [[status, first.answers.get(status)?.description ?? '']];
    }),
  );
}

function objects(schemas: Readonly<Record<string, Schema>>): string {
  const sections = Object.entries(schemas).map(([name, schema]) => {
    return `### ${name}\n\n${String(schema.description ?? '')}\n\n${objectText(schema)}`;
  });
  return `## Objects\n\nThe \`extra_config\` of each component is in [components](components/README.md).\n\n${sections.join('\n\n')}`;
}

/** The fields of an object; of several kinds of objects, one table per kind. */
function objectText(schema: Schema): string {
  const kinds = ((schema.anyOf ?? schema.oneOf ?? [schema]) as readonly Schema[]).map((kind) => {
    return fieldsOf(kind).map(({ name, type, meaning }) => [name, type, meaning]);
  });
  if (kinds.some((rows) => rows.length === 0)) return typeText(schema);
  return kinds.map((rows) => table(['field', 'type', 'meaning'], rows)).join('\n\nor\n\n');
}

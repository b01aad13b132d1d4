import {
  type OpenapiDocument,
  type Operation,
  operationsOf,
  type Schema,
} from '../packages/server/test/support/openapi.ts';
import { curlsOf } from './api-curl.ts';
import { anchorOf, fieldsOf, typeText } from './api-types.ts';
import { table } from './markdown.ts';

/** What a path names: the schemas of paths say only that it is text. */
const parameterMeanings: Readonly<Record<string, string>> = {
  slug: 'The workflow.',
  workflow_slug: 'The workflow.',
  node_id: 'The node, by its `node_id`.',
  edge_id: 'The edge, by its `id`.',
  username: 'The user.',
  version: 'The number of the version.',
  workflow_id: 'The workflow, by its `id`: its slug may be taken by another one.',
  execution_id: 'The execution.',
  key_id: 'The key, by its `id`.',
  credential_id: 'The credential, by its `id`.',
};

/** Statuses that mean the same at almost every endpoint: told once. */
const usualStatuses = ['400', '401', '403', '413', '415', '429', '503'];

/** `docs/api.md`: every endpoint of the document, with a request that a test runs. */
export function apiPage(document: OpenapiDocument): string {
  const operations = operationsOf(document);
  const usual = usualMeanings(operations);
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const sections = tags.map(
    (tag) =>
      `## ${tag}\n\n${operations
        .filter((one) => one.tag === tag)
        .map((one) => section(one, usual))
        .join('\n\n')}`,
  );
  return `${introduction(tags, usual)}\n\n${sections.join('\n\n')}\n\n${objects(document.components.schemas)}\n`;
}

/** Meanings by status. */
type Usual = ReadonlyMap<string, string>;

function introduction(tags: readonly string[], usual: Usual): string {
  const list = tags.map((tag) => `[${tag}](#${anchorOf(tag)})`).join(' · ');
  return `# The API

${list} · [Objects](#objects)

All paths are below the service's address, \`http://127.0.0.1:7411\` unless it was told otherwise. Bodies are JSON, timestamps UTC without a zone.
Paths answer with and without the slash at their end. Every endpoint but those that say so needs an API key. The same, for machines, is at
\`/openapi.json\`, and with forms to try it at \`/docs\`; [errors](errors.md) lists the codes behind the answers.

The examples need two variables; others come from the answers of examples that make something, as the comment below each of them says.
The tests run every example of this page against a fresh service.

\`\`\`sh
export MILLRACE=http://127.0.0.1:7411
export KEY="$(cat data/admin.key)"
\`\`\`

## Unknown names

Query parameters and body keys that an operation does not know are ignored. The response header
\`Millrace-Warning\` names each one with the closest known name. With the request header
\`Prefer: handling=strict\` ([RFC 7240](https://www.rfc-editor.org/rfc/rfc7240)) the operation answers 422 instead
and changes nothing.

Read-only fields of a resource (\`id\`, \`node_count\`, timestamps) may be sent back: the answer of GET, edited,
is a body for PATCH. The body and the query of webhooks and callbacks are data, so every name is allowed there.

## Statuses that mean the same everywhere

${table(['status', 'meaning'], [...usual])}`;
}

function section(operation: Operation, usual: Usual): string {
  const { name, summary, needsKey, parameters, body } = operation;
  const rows = parameters.map(({ name: parameter, in: place, schema, description = '' }) => [
    `\`${parameter}\``,
    place,
    typeText(schema),
    description || (parameterMeanings[parameter] ?? ''),
  ]);
  return [
    `### ${name}`,
    `${summary}.${needsKey ? '' : ' Needs no key.'}`,
    rows.length === 0 ? null : table(['parameter', 'in', 'type', 'meaning'], rows),
    body === null ? null : bodyText(body),
    answers(operation, usual),
    ...curlsOf(operation).map((code) => `\`\`\`sh\n${code}\n\`\`\``),
  ]
    .filter((part) => part !== null)
    .join('\n\n');
}

function bodyText({ schema, isRequired }: NonNullable<Operation['body']>): string {
  const rows = fieldsOf(schema);
  const head = `Body${isRequired ? '' : ', which may be left out'}:`;
  if (rows.length === 0) return `${head} ${typeText(schema)}.`;
  return `${head}\n\n${table(['field', 'type', 'when left out', 'meaning'], rows)}`;
}

function answers({ answers: documented }: Operation, usual: Usual): string {
  const order = [...documented].sort(([a], [b]) => a.localeCompare(b));
  const isUsual = ([status, { description }]: (typeof order)[number]): boolean => usual.get(status) === description;
  const rows = order
    .filter((one) => !isUsual(one))
    .map(([status, { description, schema }]) => [status, schema === null ? '' : typeText(schema), description]);
  const others = order.filter(isUsual).map(([status]) => status);
  const also = others.length === 0 ? '' : `\n\nAlso [${others.join(', ')}](#statuses-that-mean-the-same-everywhere).`;
  return `${table(['status', 'body', 'meaning'], rows)}${also}`;
}

/** What each of the usual statuses means where it is first documented. */
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
    const rows = fieldsOf(schema).map(([field = '', type = '', , meaning = '']) => [field, type, meaning]);
    const fields = rows.length === 0 ? typeText(schema) : table(['field', 'type', 'meaning'], rows);
    return `### ${name}\n\n${String(schema.description ?? '')}\n\n${fields}`;
  });
  return `## Objects\n\n${sections.join('\n\n')}`;
}

import {
  evaluate,
  type Filter,
  filters,
  findFilter,
  type Json,
  type Operator,
  operatorFamilies,
  type Parameter,
  parseExpression,
  predicates,
  type Scope,
} from '@millrace/core';
import { table } from '../packages/server/src/http/reference/markdown-table.ts';
import { filterExamples, languageExamples, order, testExamples } from './expression-examples.ts';

/** `docs/expressions.md`: the language of `{{ … }}`, each row with an example that is evaluated here. */
export function expressionsPage(): string {
  return `# Expressions

Any text in a node's config may contain expressions: \`Hello, {{ trigger.payload.name }}!\`. They are
evaluated just before the step. A text that consists of a single expression keeps the type of its
value: \`"{{ trigger.payload.items }}"\` is a list. Config keys that are always an expression, such as
\`expression\` of a \`switch\`, are written without braces.

The language is a subset of Jinja: it has no statements, no functions except the filters below, and
no access to anything but the data. A name that does not exist is an error; the message suggests the
nearest name. \`validate/\` and \`validate-dsl/\` report it before anything runs.

## Names

| name | meaning |
|---|---|
| \`trigger\` | the event that started the execution: \`payload\`, \`text\` (of a chat message) and \`content_type\` (of a webhook request). Headers and query are outputs of the webhook node: \`<node_id>.query\` |
| \`input\` | the same as \`trigger.payload\`; not the input of the node, which is an output of the node before it |
| \`nodes.<node_id>.<port>\` | an output of a node that has run; short form: \`<node_id>.<port>\` |
| \`loop\` | in the body of a [loop](loops.md): \`item\`, \`index\` (from 0), \`total\`, and \`outer\` in nested loops |
| \`run\` | \`id\`, \`started_at\` and \`workflow\` (its slug) of the execution |
| \`vars.<name>\` | a [variable](variables-and-state.md) |

A path that does not exist is an error, unless \`default\`, \`is defined\` or \`is undefined\` follows
it. A skipped node has no outputs.

## The language

In these examples, \`order\` is:

\`\`\`json
${written(order)}
\`\`\`

${table(['expression', 'value', ''], languageExamples.map(exampleRow))}

Operators from lowest to highest precedence: \`a if c else b\`, \`or\`, \`and\`, \`not\`, comparisons and
\`in\`, \`+ -\`, \`~\`, \`* / // %\`, \`**\`, filters and tests, and the sign of a value (\`-3 | abs\` is 3).
Arithmetic operators and \`~\` are left-associative, also \`**\`: \`2 ** 3 ** 2\` is 64.
Comparisons cannot be chained: write \`a < b and b < c\`.

A received integer outside ±(2^53 − 1) is text with the same digits. \`<\`, \`>\`, \`sort\`, \`min\` and
\`max\` compare such texts as numbers, with each other and with numbers, and exactly. A calculation with
one is an error; \`float\` makes it the nearest number.

Integers are calculated exactly: \`+\`, \`-\`, \`*\`, \`**\`, \`//\` and \`sum\` fail if a number cannot hold
their result, so \`2 ** 53\` has a value and \`2 ** 53 + 1\` is an error. Numbers that are written with a
fraction or an exponent, and values after \`float\`, ask for the nearest number: \`2.0 ** 53 + 1\` and
\`(id | float) * 3\` have one. So do numbers beyond 2^53 that were received as such.

## Filters

Parameters in brackets are optional; their defaults follow \`=\`. Any parameter may be passed by
name: \`sort(reverse=true)\`.

${table(['filter', 'result', 'example', 'value'], filters.map(filterRow))}

## Tests

Tests are written after \`is\` or \`is not\`. \`select\`, \`reject\`, \`selectattr\` and \`rejectattr\` take
the name of a test in quotes. Tests that compare two values work only in these four filters;
elsewhere, use the operators.

${table(['test', 'true if', 'example', 'value'], predicates.map(testRow))}

## Operators of rules

\`switch\`, \`filter\` and \`assertion\` compare a \`field\` with a \`value\`, using an \`operator\`. If the
field has another type, the step fails; the comparison is never silently false.

${table(['fields', 'operators', 'notes'], Object.entries(operatorFamilies).map(operatorRow))}
`;
}

const scope: Scope = { lookup: (name) => (name === 'order' ? order : undefined), names: () => ['order'] };

function worth(expression: string): Json {
  return evaluate(parseExpression(expression), scope);
}

function written(value: Json): string {
  return JSON.stringify(value);
}

function exampleRow([expression, remark]: readonly [string, string]): readonly string[] {
  return [code(expression), code(written(worth(expression))), remark];
}

function filterRow(filter: Filter): readonly string[] {
  const { name, aliases = [], parameters, description } = filter;
  const example = exampleOf(filterExamples, name);
  if (!example.includes(`| ${name}`)) throw new Error(`The example of '${name}' does not use it.`);
  if (findFilter(name) !== filter) throw new Error(`There are two filters '${name}'.`);
  const also = aliases.length === 0 ? '' : `, also ${aliases.map(code).join(', ')}`;
  return [
    `${code(`${name}${signature(parameters)}`)}${also}`,
    description,
    code(example),
    code(written(worth(example))),
  ];
}

function signature(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '';
  const shown = parameters.map((parameter) =>
    isNeeded(parameter) ? parameter.name : `[${parameter.name}${defaultOf(parameter)}]`,
  );
  return `(${shown.join(', ')})`;
}

function defaultOf({ default: value }: Parameter): string {
  return value === undefined || value === null ? '' : `=${written(value)}`;
}

function isNeeded(parameter: Parameter): boolean {
  return parameter.optional !== true && parameter.default === undefined;
}

function testRow({ name, aliases = [], description }: (typeof predicates)[number]): readonly string[] {
  const example = exampleOf(testExamples, name);
  return [[name, ...aliases].map(code).join(', '), description, code(example), code(written(worth(example)))];
}

function exampleOf(examples: Readonly<Record<string, string>>, name: string): string {
  const example = examples[name];
  if (example === undefined) throw new Error(`'${name}' has no example in expression-examples.ts.`);
  return example;
}

/** The fields that each family of operators accepts, and notes about them. */
const fieldsOf: Readonly<Record<keyof typeof operatorFamilies, readonly [fields: string, notes: string]>> = {
  any: [
    'any value',
    '`exists` and `is_empty` also accept a path that does not exist. Null, `""`, `[]` and `{}` are empty; 0 and false are not.',
  ],
  text: [
    'text, and numbers and booleans as text',
    '`equals` also compares null, lists and objects. `contains` also finds an item in a list. Patterns have no lookaround ' +
      'and no backreferences, so they run in linear time.',
  ],
  number: ['numbers, and text that contains one', ''],
  time: ['ISO 8601 text (UTC unless it has an offset), and milliseconds since 1970', ''],
  boolean: ['true, false, and these words as text', 'Without a `value`.'],
  array: ['lists', '`value` is a number.'],
};

function operatorRow([family, names]: [string, readonly Operator[]]): readonly string[] {
  const [fields, notes] = fieldsOf[family as keyof typeof operatorFamilies];
  return [fields, names.map(code).join(', '), notes];
}

function code(text: string): string {
  return `\`${text}\``;
}

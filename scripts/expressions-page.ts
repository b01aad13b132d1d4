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

/** `docs/expressions.md`: the language of `{{ … }}`, each line with an example whose value is worked out here. */
export function expressionsPage(): string {
  return `# Expressions

Any text in a node's config may hold expressions: \`Hello, {{ trigger.payload.name }}!\`. They are evaluated just before the step. A text that is one
expression and nothing else keeps the type of its value: \`"{{ trigger.payload.items }}"\` is a list. Config keys that always hold an expression, such
as \`expression\` of a \`switch\`, take it without braces.

The language is a part of Jinja's: no statements, no functions but the filters below, and no way out of the data. What an expression cannot name is an
error that says what it can; \`validate/\` and the check of a text say so before anything runs.

## Names

| name | what it is |
|---|---|
| \`trigger\` | \`payload\` and \`text\` of what started the execution |
| \`input\` | the same as \`trigger.payload\` |
| \`nodes.<node_id>.<port>\` | an output of a node that has run; shorter: \`<node_id>.<port>\` |
| \`loop\` | in the body of a [loop](loops.md): \`item\`, \`index\` (from 0) and \`total\` |
| \`run\` | \`id\`, \`started_at\` and \`workflow\` (its slug) of the execution |

A path that does not exist is an error, unless \`default\`, \`is defined\` or \`is undefined\` follows it. A node that was skipped has no outputs.

## The language

Here \`order\` is \`${written(order)}\`.

${table(['expression', 'value', ''], languageExamples.map(exampleRow))}

The loosest first: \`a if c else b\`, \`or\`, \`and\`, \`not\`, comparisons and \`in\`, \`+ -\`, \`~\`, \`* / // %\`, \`**\`, then filters and tests. Every operator groups to the
left.

## Filters

Parameters in brackets may be left out. Any parameter may be given by name: \`sort(reverse=true)\`.

${table(['filter', 'what it gives', 'example', 'value'], filters.map(filterRow))}

## Tests

After \`is\` or \`is not\`; \`select\`, \`reject\`, \`selectattr\` and \`rejectattr\` take their names in quotes. Those that compare stand only there: in
an expression they are operators.

${table(['test', 'holds when', 'example', 'value'], predicates.map(testRow))}

## Operators of rules

\`switch\`, \`filter\` and \`assertion\` compare a \`field\` with a \`value\` by an \`operator\`. A field of another kind fails the step: it is never a silent no.

${table(['fields', 'operators'], Object.entries(operatorFamilies).map(operatorRow))}
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
  return `(${parameters.map((parameter) => (isNeeded(parameter) ? parameter.name : `[${parameter.name}]`)).join(', ')})`;
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

/** What each family of operators looks at. */
const fieldsOf: Readonly<Record<keyof typeof operatorFamilies, string>> = {
  any: 'any value. `exists` and `is_empty` also take a path that does not exist. Empty are null, `""`, `[]` and `{}`, not 0 and not false.',
  text:
    'text; numbers and booleans as they are written. `equals` also compares null, lists and objects. `contains` also looks for an item of a ' +
    'list. Patterns have no look-around and no back-references, so they take linear time.',
  number: 'numbers, and text that writes one.',
  time: 'ISO 8601 text, in UTC where it names no offset, and milliseconds since 1970.',
  boolean: 'true, false, and these words as text. They take no `value`.',
  array: 'lists; the value is a number.',
};

function operatorRow([family, names]: [string, readonly Operator[]]): readonly string[] {
  return [fieldsOf[family as keyof typeof operatorFamilies], names.map(code).join(', ')];
}

function code(text: string): string {
  return `\`${text}\``;
}

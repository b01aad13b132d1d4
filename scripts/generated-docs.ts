import { catalogue } from '@millrace/components';
import { type Component, configSchemaOf, errorTable, isObject, type Json, own } from '@millrace/core';

/** The pages of `docs/` that are made from the code, by file name. `npm run docs` writes them; a test compares them. */
export function generatedDocs(): ReadonlyMap<string, string> {
  return new Map([
    ['errors.md', errors()],
    ['components.md', components()],
  ]);
}

const note = '<!-- Made by `npm run docs`: change the code, not this page. -->';

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function errors(): string {
  const of = (isWanted: (kind: string) => boolean): string[][] =>
    Object.entries(errorTable)
      .filter(([, { kind }]) => isWanted(kind))
      .map(([code, { kind, meaning }]) => [`\`${code}\``, kind, meaning]);
  const isOfRun = (kind: string): boolean => kind === 'step' || kind === 'run';
  return `${note}

# Errors

## What the API answers

Every error's body is \`{"detail": …}\`: a sentence; for a request that breaks a schema a list of \`{type, loc, msg}\`; for an edge whose types do not fit
\`{"validation_errors": […]}\`. The kind decides the status (\`packages/server/src/http/errors.ts\`).

${table(
  ['code', 'kind', 'meaning'],
  of((kind) => !isOfRun(kind)),
)}

## What a run meets

These are the \`error_code\` of a log entry and of an execution that failed.

${table(['code', 'kind', 'meaning'], of(isOfRun))}
`;
}

function components(): string {
  const all = [...catalogue.values()].sort((a, b) => a.type.localeCompare(b.type));
  return `${note}

# Components

The node types of this version. \`GET /api/v1/workflows/node-types/\` answers the same for programs.

${all.map(componentPage).join('\n\n')}
`;
}

function componentPage(component: Component<never>): string {
  const ports = [
    ...component.inputs.map((port) => [
      `in \`${port.name}\``,
      port.dataType + (port.required ? ', required' : ''),
      port.description,
    ]),
    ...component.outputs.map((port) => [`out \`${port.name}\``, port.dataType, port.description]),
    ...component.subInputs.map((port) => [`slot \`${port.name}\``, port.dataType, port.description]),
  ];
  const config = fields(configSchemaOf(component) as Json);
  return [
    `## ${component.label} (\`${component.type}\`)`,
    `${component.category}. Effect: \`${component.effect}\`.`,
    component.description,
    ...(ports.length > 0 ? [table(['port', 'type', 'what'], ports)] : []),
    ...(config.length > 0 ? [table(['in `extra_config`', 'what'], config)] : []),
  ].join('\n\n');
}

function fields(schema: Json): string[][] {
  const properties = isObject(schema) ? own(schema, 'properties') : undefined;
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([name, field]) => {
    const description = isObject(field) ? own(field, 'description') : undefined;
    return [`\`${name}\``, typeof description === 'string' ? description : ''];
  });
}

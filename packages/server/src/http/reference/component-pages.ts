import {
  type Catalogue,
  type Component,
  commonKeysOf,
  configSchemaOf,
  errorTable,
  type JsonObject,
  nodeConfig,
  policies,
} from '@millrace/core';
import { z } from 'zod';
import { configFieldsOf } from './config-fields.ts';
import { table } from './markdown-table.ts';

type Entry = Component<never>;

/** The description of each effect: how a step is repeated after a crash. */
const effects: Readonly<Record<Entry['effect'], string>> = {
  pure: 'The step has no effect outside the execution, so it is repeated after a crash.',
  idempotent: 'Running the step twice has the same effect as running it once, so it is repeated after a crash.',
  keyed: 'The step is repeated after a crash with the same `Idempotency-Key`.',
  once: 'The step is not repeated after a crash unless requested, because it may already have had its effect.',
};

/** The page that lists all components, in Markdown. */
export function componentIndex(catalogue: Catalogue): string {
  const categories = Map.groupBy(catalogue.values(), ({ category }) => category);
  const sections = [...categories].map(([category, members]) => {
    const rows = members.map(({ type, description }) => [`[\`${type}\`](${type}.md)`, firstSentence(description)]);
    return `## ${category}\n\n${table(['component', 'purpose'], rows)}`;
  });
  return `# Components

A node of a workflow is one component with its configuration. Each page lists the inputs, the outputs,
every key of its config, the errors of its step and an example. A running service shows these
pages at \`/docs/components/\`, and has the same data at \`GET /api/v1/workflows/node-types/\`.

${sections.join('\n\n')}`;
}

function firstSentence(description: string): string {
  const [paragraph = ''] = description.split('\n\n', 1);
  const text = paragraph.replaceAll('\n', ' ');
  return /^.*?[.](?=\s|$)/.exec(text)?.[0] ?? text;
}

/** The page of a component, in Markdown. */
export function componentPage(entry: Entry): string {
  const { type, label, category, description, effect, inputs, outputs, subInputs, run } = entry;
  return [
    `# ${label} (\`${type}\`)`,
    `[All components](README.md) · ${category}`,
    description,
    '## Inputs',
    ports(inputs, 'It has no input.'),
    ...(subInputs.length === 0 ? [] : ['## Connected sub-components', ports(subInputs, '')]),
    '## Outputs',
    ports(outputs, 'It has no output.'),
    '## Configuration',
    ownKeys(entry),
    ...commonKeys(entry),
    ...(run === undefined ? [] : ['## Errors', errors(entry), '## After a crash', effects[effect]]),
    '## Example',
    example(entry),
  ].join('\n\n');
}

interface ShownPort {
  readonly name: string;
  readonly dataType: string;
  readonly description: string;
  readonly required?: boolean;
}

function ports(all: readonly ShownPort[], none: string): string {
  if (all.length === 0) return none;
  const hasRequired = all.some(({ required }) => required !== undefined);
  const rows = all.map(({ name, dataType, description, required }) => {
    return [`\`${name}\``, dataType, ...(hasRequired ? [required ? 'yes' : 'no'] : []), description];
  });
  return table(['name', 'type', ...(hasRequired ? ['required'] : []), 'meaning'], rows);
}

function errors({ errors: codes = [] }: Entry): string {
  const rows = codes.map((code) => [`\`${code}\``, errorTable[code].meaning]);
  const shared =
    'Every step can also fail with `expression`, `work_limit`, `step_timeout`, `step_stopped`, `step_unknown` and `step_crashed`: ' +
    'see [errors](../errors.md).';
  return rows.length === 0
    ? `The component has no errors of its own. ${shared}`
    : [table(['code', 'meaning'], rows), shared].join('\n\n');
}

function example({ example: given }: Entry): string {
  if (given === undefined) return 'There is no example.';
  const yaml = (text: string) => `\`\`\`yaml\n${text}\`\`\``;
  return [
    yaml(given.workflow),
    'These [tests](../testing-workflows.md) run with the test suite of Millrace. To run them yourself, ' +
      'put\n`workflow: <file>` above them, with the name of the workflow file:',
    yaml(given.tests),
  ].join('\n\n');
}

/** The keys of the component itself; those that all components share have their own page. */
function ownKeys(entry: Entry): string {
  const { properties = {}, ...schema } = configSchemaOf(entry);
  const given = 'shape' in entry.config ? (entry.config.shape as object) : {};
  const isOwn = (key: string): boolean => Object.hasOwn(given, key) || !Object.hasOwn(policies.shape, key);
  const own = Object.entries(properties as object).filter(([key]) => isOwn(key));
  const rows = keyRows({ ...schema, properties: Object.fromEntries(own) });
  const shared = entry.run === undefined ? [] : ['The keys that every step accepts are in [policies](../policies.md).'];
  if (rows.length === 0) return ['The component has no keys of its own.', ...shared].join(' ');
  return [keyTable(rows), ...shared].join('\n\n');
}

/** The common keys that the component reads; none for most sub-components. */
function commonKeys(entry: Entry): readonly string[] {
  const names = commonKeysOf(entry);
  if (names.length === 0) return [];
  const { properties = {} } = z.toJSONSchema(nodeConfig, { io: 'input' }) as JsonObject;
  const shown = names.map((name) => [name, (properties as JsonObject)[name]]);
  const rows = keyRows({ properties: Object.fromEntries(shown) as JsonObject });
  const place = 'The component also reads these common keys, which are directly in `config`, beside\n`extra_config`:';
  return [place, keyTable(rows)];
}

function keyTable(rows: readonly (readonly string[])[]): string {
  return table(['key', 'type', 'default', 'example', 'meaning'], rows);
}

function keyRows(schema: JsonObject): readonly (readonly string[])[] {
  return configFieldsOf(schema).map(({ name, type, absent, examples, meaning }) => {
    // A default that is no constant is in the description.
    const [end = '', stated = 'none'] = / Default: ([^.]+)\.$/.exec(meaning) ?? [];
    const shown = examples.map((value) => `\`${JSON.stringify(value)}\``).join(' ');
    return [name, type, absent || stated, shown, end === '' ? meaning : meaning.slice(0, -end.length)];
  });
}

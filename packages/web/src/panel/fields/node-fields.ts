import type { NodeType } from '../../api/node-types.ts';
import { labelLength } from '../../state/graph.ts';
import type { Field } from './field.ts';
import { fieldsOf } from './fields-of.ts';
import type { Schema } from './schema.ts';

/** Where a node has a key: beside its config, in it, or in its `extra_config`. */
export type Place = 'node' | 'common' | 'extra';

/** A field of a node, and where its value is. */
export interface NodeField extends Field {
  readonly place: Place;
  /** Whether the component evaluates expressions. */
  readonly hasExpressions: boolean;
}

/** The policies of nodes that are steps or calls of agents, in the order of the form. */
const policies: readonly string[] = ['retry', 'timeout_seconds', 'on_error', 'on_unknown', 'join', 'pinned_output'];

/** Common keys that mean the same as a policy, which takes precedence: only nodes without policies need them. */
const replaced: ReadonlySet<string> = new Set(['timeout', 'max_retries']);

/** The fields of a node: those of its component, and the settings of its step. */
export interface NodeFields {
  readonly setup: readonly NodeField[];
  readonly settings: readonly NodeField[];
}

/** The name of a node on the canvas. Expressions use its other name. */
export function labelFieldOf(nodeId: string): NodeField {
  return {
    ...{ key: 'label', label: 'Label', description: `Expressions name this node \`${nodeId}\`.`, isRequired: false },
    ...{ field: { kind: 'text', length: labelLength, isTrimmed: true }, takesExpression: false },
    ...{ defaultValue: nodeId, example: undefined, isAdvanced: false, when: {}, place: 'node', hasExpressions: false },
  };
}

/** The fields of a node, in the order of the form. */
export function nodeFieldsOf(type: NodeType | undefined, nodeId: string): NodeFields {
  const label = labelFieldOf(nodeId);
  if (type === undefined) return { setup: [label], settings: [] };
  const hasExpressions = type.category !== 'Triggers' && type.category !== 'Canvas';
  const fields = (schema: unknown, place: Place): readonly NodeField[] =>
    fieldsOf(schema as Schema, { hasExpressions }).map((field) => ({ ...field, place, hasExpressions }));
  const own = fields(type.config_schema, 'extra');
  const common = fields(type.common_schema, 'common');
  const isPolicy = ({ key }: NodeField): boolean => policies.includes(key);
  const settings = own
    .filter(isPolicy)
    // A node that is only called by agents has no edges to wait for.
    .filter(({ key }) => type.executable || key !== 'join')
    .sort((a, b) => policies.indexOf(a.key) - policies.indexOf(b.key));
  return {
    setup: [label, ...common.filter(isFirst), ...own.filter((field) => !isPolicy(field)), ...common.filter(isLater)],
    settings: settings.length > 0 ? settings : common.filter(({ key }) => replaced.has(key)),
  };
}

/** What a node is about: its prompt, its credential, its model. */
function isFirst({ isAdvanced }: NodeField): boolean {
  return !isAdvanced;
}

function isLater({ key, isAdvanced }: NodeField): boolean {
  return isAdvanced && !replaced.has(key);
}

/** What edits change of a node. */
export interface NodeChanges {
  readonly label?: string | null;
  readonly config?: Readonly<Record<string, unknown>>;
}

/** The config of a node, as the API returns it. */
type NodeConfig = Readonly<Record<string, unknown>> & {
  readonly extra_config: Readonly<Record<string, unknown>>;
};

/** A node, as far as its form is concerned. */
interface NodeValues {
  readonly label: string | null;
  readonly config: object;
}

/** The values of a node's fields, with those of its edits that are not stored yet. */
export function valuesOf(
  node: NodeValues,
  fields: readonly NodeField[],
  edits: ReadonlyMap<string, unknown>,
): Readonly<Record<string, unknown>> {
  const entries = fields.map((field): [string, unknown] => {
    const path = pathOf(field);
    const value = edits.has(path) ? edits.get(path) : storedValue(node, field);
    return [field.key, isUnset(value, field) ? undefined : value];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function storedValue(node: NodeValues, { key, place }: NodeField): unknown {
  if (place === 'node') return node.label;
  const config = node.config as NodeConfig;
  return place === 'extra' ? config.extra_config[key] : config[key];
}

/** The value of a field inside the values of a form: `retry.max_attempts`, `rules[0].value`. */
export function valueAt(values: unknown, path: string): unknown {
  return path.split(/[.[\]]+/).reduce((value, key) => {
    if (key === '' || typeof value !== 'object' || value === null) return key === '' ? value : undefined;
    return Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
  }, values);
}

/** Common keys always have a value: their default, null or empty text mean none. */
function isUnset(value: unknown, { place, defaultValue }: NodeField): boolean {
  if (place === 'node') return value === null || value === undefined;
  return value === undefined || (place === 'common' && (value === null || value === '' || value === defaultValue));
}

/** The path of a field, which names it in edits and in problems. */
export function pathOf({ key, place }: Pick<NodeField, 'key' | 'place'>): string {
  return place === 'extra' ? `extra_config.${key}` : key;
}

/** The changes of a node that store edits: only the edited keys. Undefined removes a key. */
export function nodeChanges(edits: ReadonlyMap<string, unknown>, fields: readonly NodeField[]): NodeChanges {
  const own: { label?: string | null } = {};
  const extra: Record<string, unknown> = {};
  const common: Record<string, unknown> = {};
  for (const field of fields) {
    const path = pathOf(field);
    if (!edits.has(path)) continue;
    const value = edits.get(path);
    if (field.place === 'node') own.label = (value ?? null) as string | null;
    else if (field.place === 'extra') extra[field.key] = value ?? null;
    else common[field.key] = value ?? emptyOf(field);
  }
  const config = { ...common, ...(Object.keys(extra).length > 0 && { extra_config: extra }) };
  return { ...own, ...(Object.keys(config).length > 0 && { config }) };
}

/** The value of a common key that is not set: its default; texts have the empty text. */
function emptyOf({ field: { kind }, defaultValue }: NodeField): unknown {
  return defaultValue ?? (kind === 'prompt' || kind === 'model' ? '' : null);
}

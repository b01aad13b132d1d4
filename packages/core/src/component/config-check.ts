import { suggestion } from '../base/nearest.ts';
import { notExpressible, type SchemaIssue, schemaIssues } from '../base/schema-issues.ts';
import { compileConfig } from '../expression/config/config.ts';
import type { ConfigOptions } from '../expression/config/config-text.ts';
import type { ExpressionError } from '../expression/expression-error.ts';
import { maxConfigErrors } from '../expression/limits.ts';
import type { JsonObject } from '../json.ts';
import type { Component } from './component.ts';
import { configSchemaOf, expectedAt, keysAt } from './config-schema.ts';
import { configPath, expressionPlaces } from './expression-places.ts';
import { type NodeConfig, nodeConfig, readNodeConfig } from './node-config.ts';
import { isPolicy, type PolicyOwner, policies, policyKeys, retryKeys } from './policies.ts';
import { toolKeyOf } from './tools/tool-settings.ts';

/** The sub-input for a model. */
export const modelSlot = 'model';

/** The sub-input for a memory. */
export const memorySlot = 'memory';

/** The sub-input for tools. */
export const toolSlot = 'tools';

/**
 * The issues of a node's config: of the keys that nodes share, and of its component's keys in `extra_config`.
 * Expressions in `extra_config` are checked only if its schema is satisfied.
 */
export function checkConfig(config: unknown, component: Component<never>): readonly SchemaIssue[] {
  const common = readNodeConfig(config);
  if (!common.success) return schemaIssues(common.error).slice(0, maxConfigErrors);
  const { shared, tool, own } = splitExtraConfig(common.data.extra_config, component);
  const issues = [
    policies.safeParse(shared),
    toolKeyOf(component).safeParse(tool),
    component.config.safeParse(own),
  ].flatMap((parsed) => (parsed.success ? [] : schemaIssues(parsed.error)));
  const found =
    issues.length > 0
      ? issues.slice(0, maxConfigErrors).map((issue) => withHelp(issue, component))
      : checkExpressions(own, expressionPlaces(component));
  return [
    ...found.slice(0, maxConfigErrors).map((issue) => ({ ...issue, path: ['extra_config', ...issue.path] })),
    ...(Math.max(issues.length, found.length) > maxConfigErrors ? [moreErrors] : []),
    ...checkExpressions(promptIn(common.data, component), {}),
  ];
}

const moreErrors: SchemaIssue = {
  type: 'more_issues',
  path: ['extra_config'],
  message: `has more issues than the ${maxConfigErrors} that are listed: fix these and check again`,
};

/**
 * The parts of `extra_config`: policies, which only steps and tools have, the settings of a tool, and the component's
 * own keys.
 */
export function splitExtraConfig(
  extraConfig: JsonObject,
  component: PolicyOwner,
): { readonly shared: JsonObject; readonly tool: JsonObject; readonly own: JsonObject } {
  const entries = Object.entries(extraConfig);
  const isShared = (key: string) => isPolicy(key, component);
  const isTool = (key: string) => key === 'tool' && component.tool !== undefined;
  return {
    shared: Object.fromEntries(entries.filter(([key]) => isShared(key))),
    tool: Object.fromEntries(entries.filter(([key]) => isTool(key))),
    own: Object.fromEntries(entries.filter(([key]) => !isShared(key) && !isTool(key))),
  };
}

/** The issue with a message that names the fix. */
function withHelp(issue: SchemaIssue, component: Component<never>): SchemaIssue {
  const { type, path, message } = issue;
  const schema = configSchemaOf(component);
  if (type === 'unrecognized_keys') {
    const key = String(path.at(-1));
    const isInner = path.length > 1;
    const help = isInner ? outerKey(key, schema) : (sharedKeyHint(key, component) ?? strayPolicy(key, component));
    return { ...issue, message: `${message}${help ?? suggestion(key, keysAt(schema, path.slice(0, -1)))}` };
  }
  // The schema does not show which alternative the author intended, so the message lists all of them.
  if (type !== notExpressible && type !== 'invalid_union') return issue;
  const expected = new Set(expectedAt(schema, path));
  return expected.size === 0 ? issue : { ...issue, message: `must be ${[...expected].join(', or ')}` };
}

/** A hint for a key that belongs to the common config but was put into `extra_config`; null for any other key. */
function sharedKeyHint(key: string, component: Component<never>): string | null {
  // The YAML name of `system_prompt`.
  if (key === 'prompt' && takesModel(component)) return " Use 'system_prompt' instead, outside of 'extra_config'.";
  if (Object.hasOwn(nodeConfig.shape, key)) return " Move it out of 'extra_config', to the level above.";
  return nodeKeys.has(key) ? " Move it out of 'config', to the level above." : null;
}

/** Keys of the node itself. */
const nodeKeys: ReadonlySet<string> = new Set([
  'node_id',
  'component_type',
  'label',
  'is_entry_point',
  'interrupt_before',
  'interrupt_after',
  'subworkflow_id',
  'code_block_id',
]);

/** The correct level of a key of a policy; null for any other key. */
function strayPolicy(key: string, { type, run, tool }: Component<never>): string | null {
  if (key === 'tool' && tool === undefined) return ` Nodes of type '${type}' cannot be tools.`;
  if (run === undefined && tool === undefined && policyKeys.includes(key))
    return ` Only steps have policies, and '${type}' never runs.`;
  return (run !== undefined || tool !== undefined) && retryKeys.includes(key) ? " Move it into 'retry'." : null;
}

/** The correct level of a key that was given inside the value of another one; null for any other key. */
function outerKey(key: string, schema: JsonObject): string | null {
  if (keysAt(schema, []).includes(key)) return " Move it directly into 'extra_config'.";
  return Object.hasOwn(nodeConfig.shape, key) ? " Move it out of 'extra_config', to the level above." : null;
}

/** The system prompt as a config to compile; empty for a node that calls no model. */
export function promptIn({ system_prompt }: NodeConfig, component: Component<never>): JsonObject {
  return takesModel(component) ? { system_prompt } : {};
}

/** Whether nodes of this type call a model. */
export function takesModel({ subInputs }: Pick<Component<never>, 'subInputs'>): boolean {
  return subInputs.some(({ name }) => name === modelSlot);
}

function checkExpressions(config: JsonObject, places: ConfigOptions): readonly SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  const onError = ({ reason, line, column, configPath: place }: ExpressionError): void => {
    const message = `${reason} (line ${line}, column ${column})`;
    issues.push({ type: 'expression', path: configPath(place), message });
  };
  compileConfig(config, { ...places, onError });
  return issues;
}

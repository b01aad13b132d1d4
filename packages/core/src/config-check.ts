import type { Component } from './component.ts';
import { configSchemaOf, keysAt } from './config-schema.ts';
import { compileConfig } from './expression/config.ts';
import { ExpressionError } from './expression/expression-error.ts';
import type { JsonObject } from './json.ts';
import { suggestion } from './nearest.ts';
import { nodeConfig } from './node-config.ts';
import { policies, policyKeys } from './policies.ts';
import { type SchemaIssue, schemaIssues } from './schema-issues.ts';

/** What is wrong with a node's config: the keys that nodes share, and what its component takes in `extra_config`. */
export function checkConfig(config: unknown, component: Component<never>): readonly SchemaIssue[] {
  const common = nodeConfig.safeParse(config);
  if (!common.success) return schemaIssues(common.error);
  const { shared, own } = splitExtraConfig(common.data.extra_config, component);
  const issues = [policies.safeParse(shared), component.config.safeParse(own)].flatMap((parsed) =>
    parsed.success ? [] : schemaIssues(parsed.error),
  );
  const found =
    issues.length > 0 ? issues.map((issue) => withSuggestion(issue, component)) : checkExpressions(own, component);
  return found.map((issue) => ({ ...issue, path: ['extra_config', ...issue.path] }));
}

/** The parts of `extra_config`: policies, which only steps have, and the component's own keys. */
export function splitExtraConfig(
  extraConfig: JsonObject,
  component: Pick<Component<never>, 'run'>,
): { readonly shared: JsonObject; readonly own: JsonObject } {
  const entries = Object.entries(extraConfig);
  const isShared = (key: string) => component.run !== undefined && policyKeys.includes(key);
  return {
    shared: Object.fromEntries(entries.filter(([key]) => isShared(key))),
    own: Object.fromEntries(entries.filter(([key]) => !isShared(key))),
  };
}

function withSuggestion(issue: SchemaIssue, component: Component<never>): SchemaIssue {
  if (issue.type !== 'unrecognized_keys') return issue;
  const keys = keysAt(configSchemaOf(component), issue.path.slice(0, -1));
  return { ...issue, message: `${issue.message}${suggestion(String(issue.path.at(-1)), keys)}` };
}

function checkExpressions(config: JsonObject, component: Component<never>): readonly SchemaIssue[] {
  try {
    compileConfig(config, component);
    return [];
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const { reason, line, column } = error;
    const message = `${reason} (line ${line}, column ${column})`;
    return [{ type: 'expression', path: error.configPath.split('.'), message }];
  }
}

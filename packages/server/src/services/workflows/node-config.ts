import {
  type Catalogue,
  type Component,
  checkConfig,
  type JsonObject,
  nodeConfig,
  Problem,
  typeSuggestion,
} from '@millrace/core';

/** A config as a caller gives it: not checked yet. */
export type GivenConfig = Readonly<Record<string, unknown>>;

/** The type of a node. @throws Problem `invalid` for one that the catalogue does not know */
export function expectComponent(catalogue: Catalogue, type: string): Component<never> {
  const component = catalogue.get(type);
  if (component !== undefined) return component;
  throw invalidField(['component_type'], `Unknown component type '${type}'.${typeSuggestion(type, catalogue)}`);
}

/** The config with all common keys. @throws Problem `invalid` naming each field that breaks a rule */
export function checkedConfig(config: GivenConfig, component: Component<never>): JsonObject {
  const issues = checkConfig(config, component);
  if (issues.length === 0) return nodeConfig.parse(config) as JsonObject;
  throw new Problem(
    'invalid',
    issues.map(({ type, path, message }) => ({ type, loc: ['body', 'config', ...path], msg: message })),
  );
}

/** The answer for a field of a node that a schema of the wire cannot check. */
export function invalidField(path: readonly string[], msg: string): Problem {
  return new Problem('invalid', [{ type: 'value_error', loc: ['body', ...path], msg }]);
}

import {
  type Catalogue,
  type Component,
  checkConfig,
  type JsonObject,
  nodeConfig,
  Problem,
  typeSuggestion,
} from '@millrace/core';

/** A config from a request, not yet checked. */
export type GivenConfig = Readonly<Record<string, unknown>>;

/** The component of a type. @throws Problem `invalid` if the catalogue does not contain it */
export function expectComponent(catalogue: Catalogue, type: string): Component<never> {
  const component = catalogue.get(type);
  if (component !== undefined) return component;
  throw invalidField(['component_type'], `Unknown component type '${type}'.${typeSuggestion(type, catalogue)}`);
}

/** The config with all common keys. @throws Problem `invalid` with an issue for each invalid field */
export function checkedConfig(config: GivenConfig, component: Component<never>): JsonObject {
  const issues = checkConfig(config, component);
  if (issues.length === 0) return nodeConfig.parse(config) as JsonObject;
  throw new Problem(
    'invalid',
    issues.map(({ type, path, message }) => ({ type, loc: ['body', 'config', ...path], msg: message })),
  );
}

/** The error for a field of a node that a schema of the API cannot check. */
export function invalidField(path: readonly string[], msg: string): Problem {
  return new Problem('invalid', [{ type: 'value_error', loc: ['body', ...path], msg }]);
}

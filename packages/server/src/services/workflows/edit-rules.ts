import {
  type Catalogue,
  type Component,
  checkConfig,
  checkEdge,
  type EditRules,
  type GivenConfig,
  invalidField,
  type JsonObject,
  nodeConfig,
  Problem,
  renameInConfig,
  typeSuggestion,
} from '@millrace/core';
import { newNodeSuffix } from '../../ground/ids.ts';

/** The rules of edits, by the schemas of the catalogue. */
export function editRules(catalogue: Catalogue): EditRules {
  return {
    config: (given, componentType) => checkedConfig(given, expectComponent(catalogue, componentType)),
    edge: (check) => checkEdge({ ...check, catalogue }),
    renamed: (node, rename) => renameInConfig(node, rename, catalogue),
    nameSuffix: newNodeSuffix,
  };
}

/** The component of a type. @throws Problem `invalid` if the catalogue does not contain it */
function expectComponent(catalogue: Catalogue, type: string): Component<never> {
  const component = catalogue.get(type);
  if (component !== undefined) return component;
  throw invalidField(['component_type'], `Unknown component type '${type}'.${typeSuggestion(type, catalogue)}`);
}

/** The config with all common keys. @throws Problem `invalid` with an issue for each invalid field */
function checkedConfig(config: GivenConfig, component: Component<never>): JsonObject {
  const issues = checkConfig(config, component);
  if (issues.length === 0) return nodeConfig.parse(config) as JsonObject;
  throw new Problem(
    'invalid',
    issues.map(({ type, path, message }) => ({ type, loc: ['body', 'config', ...path], msg: message })),
  );
}

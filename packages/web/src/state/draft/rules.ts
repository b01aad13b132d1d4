import { checkEdge, type EditRules, emptyConfig, type JsonObject, renameInTexts } from '@millrace/core/editing';

/** Where the texts of a node type name other nodes: paths in its `extra_config`. */
export interface TextPlaces {
  readonly bareExpressions?: readonly string[];
  readonly verbatim?: readonly string[];
  readonly urls?: readonly string[];
}

/**
 * The rules of edits that a browser can check. It does not know the schemas of configs and the types of ports as the
 * service does, so the service may reject what these rules allow.
 */
export function browserRules(placesOf: (componentType: string) => TextPlaces, nameSuffix: () => string): EditRules {
  return {
    config: (given) => ({ ...emptyConfig, ...given }) as JsonObject,
    edge: (check) => checkEdge({ ...check, catalogue: new Map() }),
    renamed: (node, rename) => renameInTexts(node.config, rename, placesOf(node.componentType)),
    nameSuffix,
  };
}

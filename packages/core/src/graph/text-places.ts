import type { Catalogue, Component } from '../component/component.ts';
import { expressionPlaces } from '../component/expression-places.ts';
import { isPolicy, type Policies } from '../component/policies.ts';
import type { ConfigOptions } from '../expression/config/config-text.ts';
import type { JsonObject } from '../json.ts';
import type { Node } from './graph.ts';
import { type Rename, renameInTexts } from './graph-edit.ts';

/** A node's config with another node renamed in all its expressions; the same object if none names it. */
export function renameInConfig({ config, componentType }: Node, rename: Rename, catalogue: Catalogue): JsonObject {
  return renameInTexts(config, rename, textPlaces(catalogue.get(componentType)));
}

/** How the texts in the `extra_config` of a node type are read when a node is renamed. */
function textPlaces(component: Component<never> | undefined): ConfigOptions {
  if (component === undefined) return {};
  const places = expressionPlaces(component);
  // A pinned output is literal, so text in it that looks like an expression is not one.
  return isPolicy(pinKey, component) ? { ...places, verbatim: [...(places.verbatim ?? []), pinKey] } : places;
}

const pinKey = 'pinned_output' satisfies keyof Policies;

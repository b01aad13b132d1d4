import { isArray, isObject, type Json } from '../json.ts';
import type { Reader } from './reader.ts';
import type { YamlPath } from './yaml/yaml-tree.ts';

/** A route of a switch, and the step that it leads to. */
export interface RouteLink {
  readonly route: string;
  readonly to: string;
  readonly place: YamlPath;
}

/** The routes of a switch: its config in the graph form, and the steps that the routes lead to. */
export interface StepRoutes {
  readonly config: Readonly<Record<string, Json>>;
  readonly links: readonly RouteLink[];
}

const fallback = '__other__';

/** Reads `rules`, each with its target step as `route`, and `default`, the step for all other cases. */
export function readRoutes(reader: Reader, path: YamlPath): StepRoutes {
  const links: RouteLink[] = [];
  const rules = reader.jsonAt([...path, 'rules']);
  const place = [...path, 'default'];
  const other = reader.jsonAt(place);
  const readRules = isArray(rules)
    ? rules.map((rule, index) => readRule(rule, [...path, 'rules', index], links))
    : rules;
  if (typeof other === 'string') links.push({ route: fallback, to: other, place });
  else if (other !== undefined)
    reader.report({ code: 'field', message: "'default' must be the name of a step." }, place);
  return {
    config: {
      ...(readRules !== undefined && { rules: readRules }),
      ...(typeof other === 'string' && { enable_fallback: true }),
    },
    links,
  };
}

/** A rule without `route` is one in the graph form: its edge is missing, and the check reports that. */
function readRule(rule: Json, path: YamlPath, links: RouteLink[]): Json {
  if (!isObject(rule) || typeof rule.route !== 'string') return rule;
  const { route: to, ...rest } = rule;
  // Rules that lead to the same step share its name as their route, and one edge.
  const route = typeof rest.id === 'string' ? rest.id : to;
  const isKnown = links.some((link) => link.route === route && link.to === to);
  if (!isKnown) links.push({ route, to, place: [...path, 'route'] });
  return { id: route, ...rest };
}

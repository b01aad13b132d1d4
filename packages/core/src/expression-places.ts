import type { Component } from './component.ts';
import { operators, takesMissing } from './conditions.ts';
import type { ConfigOptions } from './expression/config-text.ts';
import { isArray, isObject, type JsonObject } from './json.ts';

/**
 * Where a component's config holds paths over the run's scope that it evaluates itself. A filter's fields look the
 * same, but are paths inside its items: no name of a node means anything there.
 */
const scopePaths: ReadonlyMap<string, readonly string[]> = new Map([
  ['switch', ['rules.*.field']],
  ['assertion', ['rules.*.field']],
]);

type Places = Pick<Component<never>, 'type' | 'bareExpressions' | 'verbatim'>;

/** Where a component's config names nodes: for checks and renames, which also look where `run` evaluates by itself. */
export function expressionPlaces({ type, bareExpressions = [], verbatim = [] }: Places): ConfigOptions {
  return { bareExpressions: [...bareExpressions, ...(scopePaths.get(type) ?? [])], verbatim };
}

/** Whether the text at a path is the field of a rule that asks whether it exists: then it may name what does not. */
export function mayBeMissing(extraConfig: JsonObject, path: readonly (string | number)[]): boolean {
  const [list, index, key] = path;
  if (list !== 'rules' || key !== 'field' || !isArray(extraConfig.rules)) return false;
  const rule = extraConfig.rules[Number(index)];
  const operator = isObject(rule) ? operators.find((name) => name === rule.operator) : undefined;
  return operator !== undefined && takesMissing(operator);
}

/** The keys of a place as expressions name it: `rules[0].field`, `headers["X-Id"]`. */
export function configPath(place: string): (string | number)[] {
  const keys = place.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g);
  return [...keys].map(([, index, quoted, name = '']) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? name : (JSON.parse(quoted) as string);
  });
}

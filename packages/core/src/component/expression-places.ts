import type { ConfigOptions } from '../expression/config/config-text.ts';
import { isArray, isObject, type JsonObject } from '../json.ts';
import { operators, takesMissing } from '../rules/conditions.ts';
import type { Component } from './component.ts';

type Places = Pick<Component<never>, 'bareExpressions' | 'verbatim' | 'scopePaths' | 'urls'>;

/**
 * The paths at which a component's config names nodes, for checks and renames. They include the texts that `run`
 * evaluates itself.
 */
export function expressionPlaces(places: Places): ConfigOptions {
  const { bareExpressions = [], verbatim = [], scopePaths = [], urls = [] } = places;
  return { bareExpressions: [...bareExpressions, ...scopePaths], verbatim, urls };
}

/** Whether the text at a path is the field of a rule that tests whether it exists: it may then name a missing value. */
export function mayBeMissing(extraConfig: JsonObject, path: readonly (string | number)[]): boolean {
  const [list, index, key] = path;
  if (list !== 'rules' || key !== 'field' || !isArray(extraConfig.rules)) return false;
  const rule = extraConfig.rules[Number(index)];
  const operator = isObject(rule) ? operators.find((name) => name === rule.operator) : undefined;
  return operator !== undefined && takesMissing(operator);
}

/** A path in the notation of expressions: `rules[0].field`, `headers["X-Id"]`. */
export function configPath(place: string): (string | number)[] {
  const keys = place.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g);
  return [...keys].map(([, index, quoted, name = '']) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? name : (JSON.parse(quoted) as string);
  });
}

/** Whether a component sends what is at this place of its config to other services, where a secret variable may go. */
export function isSentFrom(place: string, { sends = [] }: Pick<Component<never>, 'sends'>): boolean {
  return sends.includes(String(configPath(place)[0]));
}

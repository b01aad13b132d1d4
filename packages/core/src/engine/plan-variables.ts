import type { Component } from '../component/component.ts';
import { expressionPlaces } from '../component/expression-places.ts';
import { type CompiledConfig, compileConfig, configTexts } from '../expression/config/config.ts';
import { readsAllVariables, variablesIn } from '../expression/config/secret-variables.ts';
import type { SubComponents } from '../graph/sub-components.ts';

/** The part of a node that has expressions. */
interface Configured {
  readonly component: Component<never>;
  readonly config: CompiledConfig;
  readonly prompt: CompiledConfig | null;
  readonly subs: SubComponents;
}

/** Which variables the runs of a plan read: by name, all of them, or none. */
export type PlanVariables = ReadonlySet<string> | 'all' | null;

/** The variables that the expressions of these nodes name. */
export function variablesOf(nodes: readonly Configured[]): PlanVariables {
  const configs = nodes.flatMap(configsOf).filter(mayNameVariables);
  const templates = configs.flatMap((config) => configTexts(config).map(({ template }) => template));
  if (templates.some(readsAllVariables)) return 'all';
  const names = new Set(templates.flatMap(variablesIn).map(({ name }) => name));
  return names.size === 0 ? null : names;
}

function configsOf({ component, config, prompt, subs }: Configured): CompiledConfig[] {
  const connected = [...subs.values()].flat().map((sub) => sub.config);
  // Paths that a component evaluates itself are not compiled with its config.
  const paths = component.scopePaths === undefined ? [] : [config.source];
  return [
    config,
    ...(prompt === null ? [] : [prompt]),
    ...connected,
    ...paths.map((source) => compileConfig(source, { ...expressionPlaces(component), onError: () => undefined })),
  ];
}

/** A fast check first: most configs name no variable, and plans are compiled often. */
function mayNameVariables({ source }: CompiledConfig): boolean {
  return JSON.stringify(source).includes('vars');
}

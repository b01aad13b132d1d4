// Placeholder until the expression language lands: replaced whole by it.
import type { Json } from '../json.ts';
import type { Scope } from './scope.ts';
export interface CompiledConfig {
  readonly isStatic: boolean;
  readonly value: Json;
}
export function compileConfig(config: Json, _options: { bareExpressions?: readonly string[]; verbatim?: readonly string[] }): CompiledConfig {
  return { isStatic: true, value: config };
}
export function resolveConfig(compiled: CompiledConfig, _scope: Scope, _options?: { now?: number }): Json {
  return compiled.value;
}

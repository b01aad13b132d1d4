import {
  type CompiledConfig,
  type Component,
  isSentFrom,
  type Json,
  resolvingConfig,
  type SlicedWork,
} from '@millrace/core';
import type { RunnerPorts } from '../ports.ts';
import type { Attempt } from './attempt.ts';

/**
 * Evaluates the expressions of a config for one attempt. A secret variable becomes a placeholder where `component`
 * sends it; without a component, nothing in the config is sent.
 * @throws ExpressionError
 */
export function resolveFor(
  { placeholder }: Pick<RunnerPorts, 'placeholder'>,
  { scope, now, run, placeholders, meter }: Pick<Attempt, 'scope' | 'now' | 'run' | 'placeholders' | 'meter'>,
  { config, component }: { readonly config: CompiledConfig; readonly component?: Component<never> },
): SlicedWork<Json> {
  const names = run.variables?.secrets ?? [];
  if (names.length === 0) return resolvingConfig(config, scope, { now, meter });
  const secrets = {
    has: (name: string) => names.includes(name),
    isSentFrom: (path: string) => component !== undefined && isSentFrom(path, component),
    placeholderOf(name: string): string {
      // One for each variable: a request is searched for all of them.
      for (const [text, known] of placeholders) if (known === name) return text;
      const text = placeholder();
      placeholders.set(text, name);
      return text;
    },
  };
  return resolvingConfig(config, scope, { now, secrets, meter });
}

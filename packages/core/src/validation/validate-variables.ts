import { listed } from '../base/listed-names.ts';
import { misuseOf, variablesIn } from '../expression/config/secret-variables.ts';
import type { Template } from '../expression/config/template.ts';
import type { VariableName } from '../variables/variable.ts';
import type { NameIssue } from './name-issue.ts';

interface Known {
  readonly variables: readonly VariableName[] | null;
  readonly suggest: (word: string, candidates: Iterable<string>) => string;
}

/** The variables of a text that do not exist, and the secret ones that cannot be used there. */
export function variableIssues(
  { template, isSent }: { readonly template: Template; readonly isSent: boolean },
  { variables, suggest }: Known,
): readonly NameIssue[] {
  if (variables === null) return [];
  return variablesIn(template).flatMap(({ name, offset, isAlone, isOptional }): NameIssue[] => {
    const found = variables.find((variable) => variable.name === name);
    if (found === undefined && isOptional) return [];
    if (found === undefined) {
      const names = variables.map((variable) => variable.name);
      const hint = `${suggest(name, names)} ${listed(names, 'There are no variables.')}`;
      return [{ code: 'unknown_name', severity: 'error', reason: `Unknown variable '${name}'`, offset, hint }];
    }
    if (!found.isSecret || (isAlone && isSent)) return [];
    return [{ code: 'secret_variable', severity: 'error', reason: misuseOf(name), offset, hint: '' }];
  });
}

import type { Suggest } from '../base/nearest.ts';
import { listed } from '../base/texts/listed-names.ts';
import { misuseOf, variablesIn } from '../expression/config/secret-variables.ts';
import type { Template } from '../expression/config/template.ts';
import type { VariableName } from '../variables/variable.ts';
import type { NameIssue } from './name-issue.ts';

interface Known {
  readonly variables: ReadonlyMap<string, VariableName> | null;
  readonly suggest: Suggest;
}

/** A graph may have hundreds of thousands of references, and a workflow thousands of variables. */
export function variablesByName(variables: readonly VariableName[]): ReadonlyMap<string, VariableName> {
  return new Map(variables.map((variable) => [variable.name, variable]));
}

/** The variables of a text that do not exist, and the secret ones that cannot be used there. */
export function variableIssues(
  { template, isSent }: { readonly template: Template; readonly isSent: boolean },
  { variables, suggest }: Known,
): readonly NameIssue[] {
  if (variables === null) return [];
  return variablesIn(template).flatMap(({ name, offset, isAlone, isOptional }): NameIssue[] => {
    const found = variables.get(name);
    if (found === undefined && isOptional) return [];
    if (found === undefined) {
      const hint = `${suggest(name, variables.keys())} ${listed(variables.keys(), 'There are no variables.')}`;
      return [{ code: 'unknown_name', severity: 'error', reason: `Unknown variable '${name}'`, offset, hint }];
    }
    if (!found.isSecret || (isAlone && isSent)) return [];
    return [{ code: 'secret_variable', severity: 'error', reason: misuseOf(name), offset, hint: '' }];
  });
}

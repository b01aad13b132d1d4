import { expect, test } from 'vitest';
import { suggestions } from '../base/nearest.ts';
import { parseTemplate } from '../expression/config/template.ts';
import type { VariableName } from '../variables/variable.ts';
import { variableIssues, variablesByName } from './validate-variables.ts';

const variables = Array.from({ length: 2000 }, (_, index) => ({ name: `name_${index}`, isSecret: false }));

/** The variables, and how often a name of one was read. */
function countedReads(given: readonly VariableName[]) {
  let reads = 0;
  const watched = given.map((variable) => ({
    ...variable,
    get name() {
      reads += 1;
      return variable.name;
    },
  }));
  return { watched, reads: () => reads };
}

test('each reference to a variable is looked up by its name, however many variables there are', () => {
  const { watched, reads } = countedReads(variables);
  const known = { variables: variablesByName(watched), suggest: suggestions() };
  const template = parseTemplate('{{ vars.name_1999 }} '.repeat(1900));
  expect(variableIssues({ template, isSent: false }, known)).toEqual([]);
  expect(reads()).toBe(variables.length);
});

test('suggestions for unknown variables are no longer computed after many comparisons', () => {
  let compared = 0;
  const all = {
    *[Symbol.iterator]() {
      for (const { name } of variables) {
        compared += 1;
        yield name;
      }
    },
  };
  const suggest = suggestions();
  const hints = Array.from({ length: 1000 }, () => suggest('nam_7', all));
  expect(hints[0]).toBe(" Did you mean 'name_7'?");
  expect(hints.at(-1)).toBe('');
  expect(compared).toBeLessThanOrEqual(12_000);
});

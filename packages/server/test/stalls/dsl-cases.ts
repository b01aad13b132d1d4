import { post } from './request-cases.ts';
import type { Dice, MakeCase } from './stall-case.ts';

const validate = '/api/v1/workflows/validate-dsl/';

/** The most characters that a workflow's text may have. */
const mostText = 262_000;

/** Many steps with expressions that are wrong in different ways. */
const wrongExpressions: MakeCase = (dice) => {
  const bad = dice.pick([
    '{{ nodx1.y }}',
    '{{ stepp }}',
    '{{ 1 + }}',
    '{{ trigger.payload | uper }}',
    '{{ nodes.ndoe1.output }}',
  ]);
  const count = dice.size(200, 1900);
  const each = Math.floor(dice.size(200_000, 200_000) / count);
  const name = dice.pick(['node', 'a_node_with_a_long_name_that_nearly_fits_']);
  const lines = Array.from({ length: count }, (_, index) => {
    const text = bad.repeat(Math.max(1, Math.floor((each - 60 - 2 * name.length) / bad.length)));
    return `  - {id: ${name}${index}, type: template, template: "${text}"}`;
  });
  return textCase(`${count} nodes with ${bad}`, lines.join('\n'), dice);
};

/** Text that is hard to parse or to check. */
const hardText: MakeCase = (dice) => {
  const [name, line] = dice.pick<readonly [string, (index: number) => string]>([
    ['unknown types', (index) => `  - {id: n${index}, type: templat${index}}`],
    ['unknown keys', (index) => `  - {id: n${index}, type: template, templat: x, tempate: y, k${index}: z}`],
    ['equal ids', () => '  - {id: n, type: template, template: x}'],
    ['edges', (index) => `  - {id: n${index}, type: template, template: x, after: [n${index - 1}, n${index - 2}, n0]}`],
    ['unknown edges', (index) => `  - {id: n${index}, type: template, template: x, after: [m${index}, nn${index}]}`],
    ['anchors', (index) => `  - &a${index} {id: n${index}, type: template, template: *a${Math.max(0, index - 1)}}`],
    ['quotes', (index) => `  - {id: n${index}, type: template, template: "\\u0041\\x41${"''".repeat(20)}"}`],
    ['comments', (index) => `  # ${'#'.repeat(index % 200)}`],
    ['brackets', () => `  - ${'['.repeat(60)}${']'.repeat(60)}`],
    ['block texts', (index) => `  - id: n${index}\n    type: template\n    template: |\n      ${'x '.repeat(50)}\n`],
    [
      'rules',
      (index) => `  - {id: n${index}, type: switch, rules: [{id: a, field: n${index + 1}.x, operator: equals}]}`,
    ],
  ]);
  const count = dice.size(500, 4000);
  return textCase(`${count} × ${name}`, Array.from({ length: count }, (_, index) => line(index)).join('\n'), dice);
};

/** A text without structure. */
const noYaml: MakeCase = (dice) => {
  const unit = dice.pick([
    'a',
    '- ',
    '[',
    '{',
    '&a ',
    '*a ',
    '"',
    "'",
    '|\n',
    '\n',
    ': ',
    '? ',
    '!!',
    '%',
    '\t',
    '- - - ',
  ]);
  const text = unit.repeat(Math.floor(dice.size(mostText, mostText) / unit.length));
  return post(`validate-dsl: only ${JSON.stringify(unit)}`, validate, { yaml_str: text });
};

function textCase(name: string, steps: string, dice: Dice): ReturnType<typeof post> {
  const trigger = dice.pick(['webhook', 'manual', 'webhok']);
  const yaml_str = `name: x\ntrigger: ${trigger}\nsteps:\n${steps}\n`.slice(0, mostText);
  const path = dice.pick([validate, validate, '/api/v1/workflows/import/']);
  return post(`${path.includes('import') ? 'import' : 'validate-dsl'}: ${name}`, path, { yaml_str });
}

/** Workflows as text. */
export const dslCases: readonly MakeCase[] = [wrongExpressions, hardText, noYaml];

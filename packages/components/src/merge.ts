import { asItems, defineComponent, isArray, isObject, type Json, type JsonObject, StepError } from '@millrace/core';
import { z } from 'zod';

/** The maximum depth of a request body (64): deeper objects are a mistake or an attack. */
const maxDepth = 64;

const config = z.strictObject({
  mode: z
    .enum(['append', 'combine', 'first', 'keyed'])
    .describe(
      'How to combine the branches: one list of all their items (`append`, the default), one object of all their keys ' +
        '(`combine`), the first branch only (`first`), or an object with each branch under its node id (`keyed`).',
    )
    .meta({ default: 'append', examples: ['combine'] })
    .optional(),
});

export const merge = defineComponent({
  type: 'merge',
  label: 'Merge',
  category: 'Logic',
  icon: 'merge',
  color: '#6366f1',
  description: `Combines several branches into one value. It waits for them according to its \`join\` policy (by default, for all that
are not skipped). The branches are in the order of the incoming edges: by priority, then by age.

Use it after a Switch or after steps that run in parallel.

- \`append\`: one list of the items of all lists, with other values as they are.
- \`combine\`: one object. If several branches have the same key, their objects are combined in the same way; of other
  values, the last one is used.
- \`first\`: the value of the first branch.
- \`keyed\`: an object such as \`{"fetch_user": …, "fetch_orders": …}\`.

\`\`\`json
{ "mode": "combine" }
\`\`\``,
  errors: ['input'],
  example: {
    workflow: `name: Profile
trigger: {type: manual, id: start}
steps:
  - {id: name, type: transform, fields: {name: "{{ trigger.payload.name }}"}}
  - {id: level, type: transform, after: start, fields: {level: gold}}
  - {id: profile, type: merge, after: [name, level], mode: combine}
`,
    tests: `tests:
  - name: Both branches become one object
    payload: {name: Ada}
    expect: {final_output: {name: Ada, level: gold}}
`,
  },
  inputs: [{ name: 'branches', dataType: 'any', required: true, description: 'The first output of each branch.' }],
  outputs: [{ name: 'merged', dataType: 'any', description: 'The combined value.' }],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
  gathers: 'always',
  run({ input, config, ctx }) {
    const branches = asItems(input);
    switch (config.mode ?? 'append') {
      case 'append':
        return { outputs: { merged: branches.flatMap((branch) => (isArray(branch) ? branch : [branch])) } };
      case 'combine':
        return {
          outputs: { merged: branches.map(asBranchObject).reduce((left, right) => combine(left, right, 1), {}) },
        };
      case 'first':
        return { outputs: { merged: branches[0] ?? null } };
      case 'keyed':
        return { outputs: { merged: Object.fromEntries(ctx.sources.map((id, at) => [id, branches[at] ?? null])) } };
    }
  },
});

function asBranchObject(branch: Json): JsonObject {
  if (isObject(branch)) return branch;
  throw new StepError('input', "The mode 'combine' needs objects, but a branch has another kind of value.");
}

/** Keys come from users and may be `__proto__` or `constructor`: a Map and fromEntries make them plain own keys. */
function combine(left: JsonObject, right: JsonObject, depth: number): JsonObject {
  if (depth > maxDepth) throw new StepError('input', `The branches are nested deeper than ${maxDepth} levels.`);
  const combined = new Map<string, Json>(Object.entries(left));
  for (const [key, value] of Object.entries(right)) {
    const earlier = combined.get(key);
    combined.set(key, isObject(earlier) && isObject(value) ? combine(earlier, value, depth + 1) : value);
  }
  return Object.fromEntries(combined);
}

import { asItems, defineComponent, isArray, isObject, type Json, type JsonObject, StepError } from '@millrace/core';
import { z } from 'zod';

/** Objects nested deeper than any request body may be (64) are no documents but a mistake or an attack. */
const maxDepth = 64;

const config = z.strictObject({
  mode: z
    .enum(['append', 'combine', 'first', 'keyed'])
    .describe(
      'How the branches become one value: one list of all their items (`append`, the default), one object of all their ' +
        'keys (`combine`), the first branch alone (`first`), or an object with each branch under its node id (`keyed`).',
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
  description: `Brings branches together. It waits for them as its \`join\` policy says (by default for all that are not
skipped), and takes them in the order of its edges: by priority, then by age.

Use it behind a Switch or behind steps that run side by side.

- \`append\`: the items of lists, and other values as they are, in one list.
- \`combine\`: objects into one. Where two have the same key, objects are combined again, and of anything else the later
  one stays.
- \`first\`: the first branch's value.
- \`keyed\`: for example \`{"fetch_user": …, "fetch_orders": …}\`.

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
  outputs: [{ name: 'merged', dataType: 'any', description: 'The one value that the branches became.' }],
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
  throw new StepError('input', "The mode 'combine' takes objects, but a branch gave another kind of value.");
}

/** Keys are users' text, `__proto__` and `constructor` too: a Map and fromEntries make them plain own keys. */
function combine(left: JsonObject, right: JsonObject, depth: number): JsonObject {
  if (depth > maxDepth) throw new StepError('input', `The branches nest deeper than ${maxDepth} levels.`);
  const combined = new Map<string, Json>(Object.entries(left));
  for (const [key, value] of Object.entries(right)) {
    const earlier = combined.get(key);
    combined.set(key, isObject(earlier) && isObject(value) ? combine(earlier, value, depth + 1) : value);
  }
  return Object.fromEntries(combined);
}

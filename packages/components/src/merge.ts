import {
  asItems,
  defineComponent,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  keyCount,
  type Meter,
  type SlicedWork,
  StepError,
  type StepResult,
} from '@millrace/core';
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
  errors: ['input', 'work_limit'],
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
        return ctx.inSlices(appended(branches, ctx.meter));
      case 'combine':
        return ctx.inSlices(combined(branches, ctx.meter));
      case 'first':
        return { outputs: { merged: branches[0] ?? null } };
      case 'keyed':
        return { outputs: { merged: Object.fromEntries(ctx.sources.map((id, at) => [id, branches[at] ?? null])) } };
    }
  },
});

function* appended(branches: readonly Json[], meter: Meter): SlicedWork<StepResult> {
  const merged: Json[] = [];
  for (const branch of branches) {
    const items = isArray(branch) ? branch : [branch];
    meter.spend(items.length);
    for (const item of items) merged.push(item);
    yield;
  }
  return { outputs: { merged } };
}

function* combined(branches: readonly Json[], meter: Meter): SlicedWork<StepResult> {
  const keys: Keys = new Map();
  const pace = new Pace();
  for (const branch of branches) yield* add(keys, asBranchObject(branch), { depth: 1, meter, pace });
  return { outputs: { merged: yield* objectOf(keys, pace) } };
}

/** A pause after so many keys is short enough: they take about a millisecond. */
const keysPerPiece = 1000;

/** When the work on keys is due for a pause. */
class Pace {
  #keys = 0;

  isPauseDue(): boolean {
    this.#keys += 1;
    return this.#keys % keysPerPiece === 0;
  }
}

function asBranchObject(branch: Json): JsonObject {
  if (isObject(branch)) return branch;
  throw new StepError('input', "The mode 'combine' needs objects, but a branch has another kind of value.");
}

/**
 * The keys of the combined object. All branches are added to the same Map: combining two objects at a time would copy
 * all earlier keys for each branch. An object under a key is a Map once a second one is added to it. Keys come from users
 * and may be `__proto__` or `constructor`: in a Map they are plain keys.
 */
type Keys = Map<string, Json | Keys>;

interface Adding {
  readonly depth: number;
  readonly meter: Meter;
  readonly pace: Pace;
}

function* add(keys: Keys, object: JsonObject, adding: Adding): SlicedWork<void> {
  const { depth, meter, pace } = adding;
  if (depth > maxDepth) throw new StepError('input', `The branches are nested deeper than ${maxDepth} levels.`);
  meter.spend(keyCount(object));
  // Listing the entries of an object with very many takes three times as long. JSON has own names only.
  for (const key in object) {
    const value = object[key] ?? null;
    if (pace.isPauseDue()) yield;
    const earlier = keys.get(key);
    if (!isObject(value) || earlier === undefined) keys.set(key, value);
    else if (earlier instanceof Map) yield* add(earlier, value, { ...adding, depth: depth + 1 });
    else if (isObject(earlier)) keys.set(key, yield* added([earlier, value], { ...adding, depth: depth + 1 }));
    else keys.set(key, value);
  }
}

function* added(objects: readonly JsonObject[], adding: Adding): SlicedWork<Keys> {
  const keys: Keys = new Map();
  for (const object of objects) yield* add(keys, object, adding);
  return keys;
}

function* objectOf(keys: Keys, pace: Pace): SlicedWork<JsonObject> {
  const object: Record<string, Json> = {};
  for (const [key, value] of keys) {
    if (pace.isPauseDue()) yield;
    const own = value instanceof Map ? yield* objectOf(value, pace) : value;
    // An assignment to this name would change the prototype.
    if (key === '__proto__')
      Object.defineProperty(object, key, { value: own, enumerable: true, writable: true, configurable: true });
    else object[key] = own;
  }
  return object;
}

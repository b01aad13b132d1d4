import {
  asItems,
  asText,
  defineComponent,
  exactSum,
  inexactIntegers,
  type Json,
  jsonKind,
  type Meter,
  maxResultSize,
  type Numeric,
  numericOf,
  type SlicedWork,
  StepError,
  type StepResult,
  textOf,
  ui,
  valueIn,
} from '@millrace/core';
import { z } from 'zod';

const config = z
  .strictObject({
    operation: z
      .enum(['count', 'sum', 'min', 'max', 'average', 'group', 'join'])
      .describe('How to reduce the list.')
      .meta({ default: 'count', examples: ['sum'] })
      .optional(),
    field: z
      .string()
      .min(1)
      .describe('The path inside each item to the value to use, e.g. `price`. Default: the item itself.')
      .meta({
        ...ui({ widget: 'path', when: { operation: ['sum', 'min', 'max', 'average', 'group', 'join'] } }),
        examples: ['total'],
      })
      .optional(),
    group_by: z
      .string()
      .min(1)
      .describe('A path inside each item. The output is then an object with one result for each value at that path.')
      .meta({ ...ui({ widget: 'path' }), examples: ['address.country'] })
      .optional(),
    separator: z
      .string()
      .describe('The text that `join` puts between the items.')
      .meta({ ...ui({ when: { operation: ['join'] } }), default: ', ', examples: ['; '] })
      .optional(),
  })
  .refine(({ operation, group_by }) => operation !== 'group' || group_by !== undefined, {
    path: ['group_by'],
    error: "The operation 'group' needs group_by.",
  });

type Config = z.infer<typeof config>;

export const aggregator = defineComponent({
  type: 'aggregator',
  label: 'Aggregator',
  category: 'Logic',
  icon: 'sigma',
  color: '#6366f1',
  description: `Reduces a list to one value: a number, a text, or groups.

- \`count\`: the number of items; with \`field\`, the number of items whose field is not null.
- \`sum\`, \`min\`, \`max\`, \`average\`: of numbers, which may be written as text. For an empty list the sum is 0 and the others
  are null. A sum of integers that a number cannot hold exactly is an error.
- \`join\`: the items as one text.
- \`group\`: the items themselves, grouped by the value of \`group_by\`.

Every operation can be combined with \`group_by\`. The revenue of each country:

\`\`\`json
{ "operation": "sum", "field": "total", "group_by": "address.country" }
\`\`\`

The list is the input. If several branches lead to this node, the list contains their values.`,
  errors: ['config', 'expression', 'input'],
  example: {
    workflow: `name: Revenue of each country
trigger: manual
steps:
  - id: orders
    type: transform
    expression: trigger.payload.orders
  - id: revenue
    type: aggregator
    operation: sum
    field: total
    group_by: country
`,
    tests: `tests:
  - name: Totals are added for each country
    payload:
      orders: [{country: FR, total: 10}, {country: DE, total: 7}, {country: FR, total: 5}]
    expect:
      final_output: {FR: 15, DE: 7}
`,
  },
  inputs: [{ name: 'items', dataType: 'array', required: true, description: 'The list to reduce.' }],
  outputs: [{ name: 'aggregated', dataType: 'any', description: 'The result.' }],
  subInputs: [],
  effect: 'pure',
  version: 1,
  config,
  gathers: 'several',
  verbatim: ['field', 'group_by'],
  run: ({ input, config, ctx }) => ctx.inSlices(aggregated(asItems(input), config, ctx.meter)),
});

function* aggregated(items: readonly Json[], config: Config, meter: Meter): SlicedWork<StepResult> {
  const read = config.field === undefined ? (item: Json) => item : valueIn(config.field, meter);
  const keys = config.group_by === undefined ? null : yield* mapped(items, groupKey(config.group_by, meter));
  const values = yield* mapped(items, read);
  if (keys === null) return { outputs: { aggregated: aggregate(values, config, meter) } };
  const groups = Map.groupBy(values.keys(), (index) => keys[index] ?? '');
  const results: [string, Json][] = [];
  let joinedLength = 0;
  for (const [key, indexes] of groups) {
    const group = indexes.map((index) => values[index] ?? null);
    const result = aggregate(group, config, meter);
    // Each group may be small, and the separator long: only the sum of all texts limits their memory.
    if (typeof result === 'string') joinedLength = checkedLength(joinedLength + result.length);
    results.push([key, result]);
    yield;
  }
  return { outputs: { aggregated: Object.fromEntries(results) } };
}

function* mapped<Value>(items: readonly Json[], read: (item: Json) => Value): SlicedWork<readonly Value[]> {
  const values: Value[] = [];
  for (const item of items) {
    values.push(read(item));
    yield;
  }
  return values;
}

function groupKey(path: string, meter: Meter): (item: Json) => string {
  const read = valueIn(path, meter);
  return (item) => {
    const key = read(item);
    return textOf(key) ?? reject(`The items cannot be grouped by '${path}': in one of them it is ${jsonKind(key)}.`);
  };
}

function aggregate(values: readonly Json[], config: Config, meter: Meter): Json {
  meter.spend(values.length);
  switch (config.operation ?? 'count') {
    case 'count':
      return config.field === undefined ? values.length : values.filter((value) => value !== null).length;
    case 'sum':
      return sum(numbers(values));
    case 'min':
      return extreme(values, (value, least) => value < least);
    case 'max':
      return extreme(values, (value, most) => value > most);
    case 'average':
      return values.length === 0 ? null : finite(Number(exactSum(numbers(values)))) / values.length;
    case 'join':
      return joined(
        values.map(itemText),
        config.separator === undefined ? ', ' : asText(config.separator, 'separator'),
        meter,
      );
    case 'group':
      return values;
  }
}

function numericIn(value: Json): Numeric {
  return numericOf(value) ?? reject(`All values must be numbers, but one is ${jsonKind(value)}.`);
}

function numbers(values: readonly Json[]): number[] {
  return values.map((value) => {
    const number = numericIn(value);
    return typeof number === 'number' ? number : reject(`One value has too many digits: ${inexactIntegers}.`);
  });
}

/** The value that comes before all others; null for an empty list. An integer that a double cannot hold stays text. */
function extreme(values: readonly Json[], comesBefore: (value: Numeric, best: Numeric) => boolean): Json {
  let best: Numeric | null = null;
  for (const value of values) {
    const number = numericIn(value);
    if (best === null || comesBefore(number, best)) best = number;
  }
  return typeof best === 'bigint' ? String(best) : best;
}

function sum(values: readonly number[]): number {
  const total = exactSum(values);
  if (typeof total !== 'bigint') return finite(total);
  return reject(
    'The sum has too many digits: a number holds integers exactly up to ±(2^53 − 1), and only some larger ones.',
  );
}

function finite(total: number): number {
  return Number.isFinite(total) ? total : reject('The sum is too large for a number.');
}

function joined(texts: readonly string[], separator: string, meter: Meter): string {
  const between = Math.max(0, texts.length - 1) * separator.length;
  meter.spendOnText(checkedLength(texts.reduce((sum, text) => sum + text.length, between)));
  return texts.join(separator);
}

function checkedLength(length: number): number {
  return length <= maxResultSize ? length : reject(`The joined text would be longer than ${maxResultSize} characters.`);
}

function itemText(value: Json): string {
  return textOf(value) ?? reject(`All values to join must be text, but one is ${jsonKind(value)}.`);
}

function reject(message: string): never {
  throw new StepError('input', message);
}

import type { Json } from '@millrace/core';
import { deepValue, largeValue, longList, longText, nearMiss, wideObject } from './hostile-values.ts';
import type { Dice, MakeCase, RunCase } from './stall-case.ts';

function transform(name: string, expression: string, payload: Json): RunCase {
  return { kind: 'run', name: `expression: ${name}`, steps: [{ type: 'transform', config: { expression } }], payload };
}

/** As often as fits into an expression. */
function repeated(part: string, joint: string): string {
  const operators = `${part}${joint}`.match(/[.|+[]| (?:or|and|in|is|==) |not /g)?.length ?? 1;
  const count = Math.min(Math.floor(950 / operators), Math.floor(16_000 / (part.length + joint.length)));
  return Array.from({ length: count }, () => part).join(joint);
}

const input = 'trigger.payload.v';

/** Something is done to one large value again and again. */
const repeatedWork: MakeCase = (dice) => {
  const [part, joint] = dice.pick([
    [`(${input}|length)`, '+'],
    [`(${input}|keys|length)`, '+'],
    [`(not ${input})`, ' or '],
    [`(${input} and 0)`, ' or '],
    [`(${input}|default('', true) and 0)`, ' or '],
    [`(${input}|first|default(0) and 0)`, ' or '],
    [`('x' in ${input})`, ' or '],
    [`(${input} == trigger.payload.w and 0)`, ' or '],
    [`(${input}.missing is defined)`, ' or '],
    [`(${input} is mapping and 0)`, ' or '],
    [`(${input}|list|length)`, '+'],
    [`(${input}|string|length)`, '+'],
    [`(${input}|json|length)`, '+'],
    [`(${input}[1:]|length)`, '+'],
    [`(${input}|last|default(0)|string|length)`, '+'],
  ] as const);
  const value = dice.pick([wideObject, longList, longText, deepValue])(dice);
  return transform(`repeated ${part}`, repeated(part, joint), { v: value, w: dice.pick([0, structuredClone(value)]) });
};

/** A filter with long texts as its arguments. */
const longArguments: MakeCase = (dice) => {
  const filter = dice.pick([
    'map(attribute=trigger.payload.w, default=0)',
    'selectattr(trigger.payload.w, "defined")',
    'sort(attribute=trigger.payload.w)',
    'join(trigger.payload.w)',
    'sum(trigger.payload.w)',
    'unique(attribute=trigger.payload.w)',
    'select("in", trigger.payload.w)',
    'reject("eq", trigger.payload.w)',
  ]);
  const part = `(trigger.payload.l|${filter}|string|default("")|length)`;
  const items = dice.pick<Json>([[], [1], [{ a: 1 }], longList(dice)]);
  return transform(filter, repeated(part, '+'), { l: items, w: longText(dice) });
};

const textFilters: MakeCase = (dice) => {
  const { text, part } = nearMiss(dice);
  const filter = dice.pick([
    'replace(trigger.payload.w, "")',
    'split(trigger.payload.w)|length',
    'split|length',
    'trim(trigger.payload.w)',
    'title',
    'upper',
    'urlencode',
    'truncate(500000, false, trigger.payload.w)',
    'list|length',
    'reverse',
    'fromjson',
    'int(0)',
    'float(0)',
    'date',
    'list|sort|join',
    'list|unique|length',
    'date(trigger.payload.w)',
  ]);
  const value = dice.pick([text, longText(dice)]);
  return transform(`${filter} of a long text`, repeated(`(${input}|${filter}|string|length)`, '+'), {
    v: value,
    w: part,
  });
};

const templates: MakeCase = (dice) => {
  const count = dice.size(5000, 60_000);
  const piece = dice.pick([
    '{{ trigger.payload.a }}',
    '{{a}}',
    '{{ 1 }} ',
    '{{ trigger.payload.v|length }}',
    "{{ vars.x|default('') }}",
    '{{',
    '}}{{ 1',
    '{{ trigger.payload.v }}',
  ]);
  const template = piece.repeat(Math.min(count, Math.floor(450_000 / piece.length)));
  const step = dice.pick([
    { type: 'template', config: { template } },
    { type: 'http_request', config: { url: `http://example.test/${template}` } },
    { type: 'respond', config: { body: template } },
    { type: 'transform', config: { fields: { text: template } } },
  ]);
  return {
    kind: 'run',
    name: `template of many ${piece} in ${step.type}`,
    steps: [step],
    payload: { a: 1, v: largeValue(dice) },
  };
};

/** Many small texts, each with an expression. */
const manyTexts: MakeCase = (dice) => {
  const text = dice.pick([
    '{{ trigger.payload.v|length }}',
    '{{ trigger.payload.a }}',
    '{{ missng }}',
    '{{ 1 + }}',
    '{{ trigger.payload.v|sort|first }}',
  ]);
  const fields = Object.fromEntries(Array.from({ length: dice.size(5000, 20_000) }, (_, index) => [`f${index}`, text]));
  return {
    kind: 'run',
    name: `config of many ${text}`,
    steps: [{ type: 'transform', config: { fields } }],
    payload: { a: 1, v: largeValue(dice) },
  };
};

/** Steps one after the other, each with as much work as it may do. */
const manySteps: MakeCase = (dice) => {
  const expression = dice.pick([
    `${input}|sort|length`,
    `${input}|map("string")|map("upper")|list|length`,
    `${input}|json|length`,
    `${input}|unique|length`,
    `${input}|list|length`,
  ]);
  const payload = { v: dice.pick([longList, longText])(dice) };
  const step = { type: 'transform', config: { expression: `trigger.payload.v is defined and (${expression})` } };
  return {
    kind: 'run',
    name: `many steps of ${expression}`,
    steps: Array.from({ length: dice.size(30, 30) }, () => step),
    payload,
  };
};

const missingKey: MakeCase = (dice: Dice) =>
  transform('missing key of a wide object', `${input}.${dice.pick(['kex1234', 'constructor1', 'missing_key_of_it'])}`, {
    v: wideObject(dice),
  });

/** Expressions and templates. */
export const expressionCases: readonly MakeCase[] = [
  repeatedWork,
  longArguments,
  textFilters,
  templates,
  manyTexts,
  manySteps,
  missingKey,
];

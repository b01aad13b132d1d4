import { answerOf } from './answer-cases.ts';
import { largeValue, longText } from './hostile-values.ts';
import type { Dice, EdgeSketch, MakeCase, StepSketch } from './stall-case.ts';

/** The most characters of a model's answer, with some room. */
const most = 2 * 1_048_576 - 1_000;

/** A text that a model answers, of a kind that a parser may stumble over. */
function answerText(dice: Dice): string {
  const size = dice.size(most / 4, most / 2);
  const repeated = (unit: string): string => unit.repeat(Math.floor(size / unit.length));
  return dice.pick<() => string>([
    () => JSON.stringify(largeValue(dice)).slice(0, most / 2),
    () => longText(dice),
    () => `[${repeated('1,')}1]`,
    () => `[${repeated('[],')}1]`,
    () => `{${Array.from({ length: Math.min(99_000, size / 16) }, (_, index) => `"k${index}":1`).join()}}`,
    () => `\`\`\`json\n[${repeated('{},')}1]\n\`\`\``,
    () => repeated('```\n'),
    () => repeated('{'),
    () => repeated('{"a":'),
    () => repeated('- a\n'),
    () => repeated('\n'),
    () => repeated('a,'),
    () => repeated(' 1. '),
  ])();
}

/** What a provider answers: an answer of its protocol, or anything else. */
function answerOfModel(dice: Dice): string {
  if (dice.integer(1, 4) === 1) return answerOf(dice);
  const content = answerText(dice);
  const usage = { prompt_tokens: 1, completion_tokens: 1 };
  const whole = { choices: [{ message: { content }, finish_reason: 'stop' }], usage };
  const parts = { choices: [{ message: { content: [{ type: 'text', text: content }] } }] };
  const wrong = { choices: Array.from({ length: dice.size(10_000, 200_000) }, () => ({})) };
  return JSON.stringify(dice.pick<object>([whole, whole, whole, parts, wrong]));
}

const parsers = [
  { parser: 'json' },
  { parser: 'json', schema: { type: 'array', items: { type: ['number', 'array', 'object'] } } },
  { parser: 'list' },
  { parser: 'regex', pattern: '(a|aa)+$' },
  { parser: 'regex', pattern: '"k(\\d+)"' },
];

/** An agent with a parser, whose model answers with as much as it may. */
const parsedAnswer: MakeCase = (dice) => {
  const parser = dice.pick(parsers);
  const steps: StepSketch[] = [
    { type: 'agent', config: { input: dice.pick(['Hello', '{{ trigger.payload.v }}']) } },
    { type: 'ai_model', config: {} },
    { type: 'output_parser', config: parser },
  ];
  const edges: EdgeSketch[] = [
    { from: -1, to: 0 },
    { from: 1, to: 0, label: 'llm' },
    { from: 2, to: 0, label: 'output_parser' },
  ];
  const answer = answerOfModel(dice);
  const name = `answer of a model ${answer.slice(0, 40)}… read by ${JSON.stringify(parser)}`;
  return { kind: 'run', name, steps, edges, payload: { v: longText(dice) }, answer };
};

/** Models and output parsers. */
export const modelCases: readonly MakeCase[] = [parsedAnswer];

import { largeValue, longList, wideObject } from './hostile-values.ts';
import type { EdgeSketch, MakeCase, RequestCase, RunCase, StepSketch } from './stall-case.ts';

/** Branches with large values that are merged in each mode. */
const merged: MakeCase = (dice) => {
  const mode = dice.pick(['append', 'combine', 'first', 'keyed']);
  const count = dice.integer(2, 30);
  const branch: StepSketch = { type: 'transform', config: { expression: 'trigger.payload.v' } };
  const steps: StepSketch[] = [...Array.from({ length: count }, () => branch), { type: 'merge', config: { mode } }];
  const edges = steps.slice(0, -1).flatMap((_step, index): EdgeSketch[] => [
    { from: -1, to: index },
    { from: index, to: count },
  ]);
  const payload = { v: dice.pick([wideObject, longList, largeValue])(dice) };
  return { kind: 'run', name: `merge: ${mode} of ${count} branches`, steps, edges, payload };
};

/** Several steps pass on a large value, and the last one converts it, or is the answer of the webhook. */
const answeredOutput: MakeCase = (dice): RunCase => {
  const large: StepSketch = { type: 'transform', config: { expression: 'trigger.payload' } };
  const last = dice.pick<StepSketch>([
    large,
    { type: 'transform', config: { fields: { a: '{{ trigger.payload }}', b: '{{ trigger.payload }}' } } },
    { type: 'template', config: { template: '{{ trigger.payload }}' } },
    { type: 'error_handler', config: {} },
    { type: 'merge', config: { mode: 'keyed' } },
  ]);
  const isAwaited = dice.pick([true, true, false]);
  const name = `${isAwaited ? 'awaited ' : ''}output of ${last.type} ${JSON.stringify(last.config).slice(0, 60)}`;
  return { kind: 'run', name, steps: [large, last], payload: largeValue(dice), isAwaited };
};

/** The output refers to the same large value many times, deep inside. */
const repeatedOutput: MakeCase = (dice): RunCase => {
  const count = dice.integer(2, 1900);
  const references = Array.from({ length: count }, (_, index) => [`a${index}`, '{{ trigger.payload.v }}']);
  const fields = { x: { y: Object.fromEntries(references) } };
  const payload = { v: dice.pick([longList, largeValue])(dice) };
  const steps: StepSketch[] = [{ type: 'transform', config: { fields } }];
  return { kind: 'run', name: `output with ${count} references`, steps, payload };
};

/** A stored execution with a large output is read, and its last step runs again after the rest was read back. */
const replayedOutput: MakeCase = (dice): RequestCase => {
  const count = dice.integer(1, 30);
  const references = Array.from({ length: count }, (_, index) => [`a${index}`, '{{ trigger.payload.v }}']);
  const steps: StepSketch[] = [
    { type: 'transform', config: { fields: { x: { y: Object.fromEntries(references) } } } },
    { type: 'template', config: { template: 'x' } },
  ];
  const path = '/api/v1/executions/{{ execution }}/';
  return {
    kind: 'request',
    name: `replay after an output with ${count} references`,
    before: { steps, payload: { v: largeValue(dice) } },
    requests: [
      { method: 'GET', path },
      { method: 'POST', path: `${path}replay/`, body: { from_node: 'step1' }, isStart: true },
    ],
  };
};

/** A stored value that takes several turns to compute. */
const slowState: MakeCase = (dice): RunCase => {
  const long = "{{ trigger.payload.v | map(attribute='a') | length }}";
  const value = Object.fromEntries(Array.from({ length: dice.integer(1, 8) }, (_, index) => [`f${index}`, long]));
  const config = { operation: 'set', key: 'k', value };
  return {
    kind: 'run',
    name: 'state of large values',
    steps: [{ type: 'state', config }],
    payload: { v: longList(dice) },
  };
};

/** Large outputs. */
export const outputCases: readonly MakeCase[] = [merged, answeredOutput, repeatedOutput, replayedOutput, slowState];

import { isSameJson } from '../src/base/json-same.ts';
import type { Fact, StepFailed, StepSkipped, StepSucceeded } from '../src/engine/journal/history.ts';
import { asPossible, type Expected, type NodeEnd } from './interpreter.ts';
import { plain } from './step-value.ts';

type Ends = ReadonlyMap<string, Omit<NodeEnd, 'isCertain'>>;

const endOf = { step_succeeded: 'succeeded', step_failed: 'failed', step_skipped: 'skipped' } as const;

/** The differences between a run's journal and its expected end, one line each. A cancelled run may lack steps. */
export function violationsIn(journal: readonly Fact[], expected: Expected): readonly string[] {
  const last = journal.at(-1);
  const isCancelled = last?.kind === 'run_finished' && last.status === 'cancelled';
  const ends = new Map<string, Omit<NodeEnd, 'isCertain'>>();
  const violations: string[] = [];
  for (const fact of journal.filter(isEnd)) {
    const name = `${fact.frame}/${fact.nodeId}`;
    if (ends.has(name)) violations.push(`${name} ended twice`);
    ends.set(name, { end: endOf[fact.kind], attempts: fact.kind === 'step_skipped' ? 0 : fact.attempt });
  }
  if (isCancelled) return [...violations, ...violationsInSteps(ends, { ...expected, ends: asPossible(expected.ends) })];
  return [...violations, ...violationsInEnd(last, expected), ...violationsInSteps(ends, expected)];
}

function isEnd(fact: Fact): fact is StepSucceeded | StepFailed | StepSkipped {
  if (fact.kind === 'step_failed') return fact.retryAt === null;
  return fact.kind === 'step_succeeded' || fact.kind === 'step_skipped';
}

function violationsInEnd(last: Fact | undefined, { status, output, blamed }: Expected): readonly string[] {
  if (last?.kind !== 'run_finished') return ['the run has not finished'];
  if (last.status !== status) return [`the run is ${last.status}, but must be ${status}: ${last.failure?.message}`];
  if (status === 'failed') return blamed.has(last.nodeId ?? '') ? [] : [`the run blames ${last.nodeId}`];
  const [given, wanted] = [plain(last.output), plain(output)];
  return isSameJson(given, wanted) ? [] : [`the output is ${JSON.stringify(given)}, not ${JSON.stringify(wanted)}`];
}

function violationsInSteps(ends: Ends, expected: Expected): readonly string[] {
  const wrong = [...expected.ends].flatMap(([name, { isCertain, end, attempts }]) => {
    const given = ends.get(name);
    if (given === undefined) return isCertain ? [`${name} has not ended, but must have ${end}`] : [];
    if (given.end === end && given.attempts === attempts) return [];
    return [`${name} ${given.end} at attempt ${given.attempts}, not ${end} at ${attempts}`];
  });
  const strange = [...ends.keys()]
    .filter((name) => !expected.ends.has(name))
    .map((name) => `${name} must not have run`);
  return [...wrong, ...strange];
}

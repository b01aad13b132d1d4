import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue, graph, node } from '../../../test/graphs.ts';
import { simulate, trigger } from '../../../test/simulate.ts';
import { journalOf, picks, planOf, worlds } from '../../../test/simulated-world.ts';
import type { Json } from '../../json.ts';
import { type Plan, planRun } from '../plan.ts';
import { executionLog, type LogEntry } from './execution-log.ts';
import type { Fact, JournalEntry, RunRetried } from './history.ts';
import { retryOf, standingEntries } from './retried-journal.ts';

/** What each step was given, by `seq`. */
function inputsOf(plan: Plan, journal: readonly JournalEntry[]): ReadonlyMap<number, Json> {
  const log = executionLog({ plan, trigger, acceptedAt: 0, journal });
  return new Map(log.map(({ seq, input }) => [seq, input]));
}

function numbered(facts: readonly (Fact | RunRetried)[], before: readonly JournalEntry[] = []): JournalEntry[] {
  return [...before, ...facts.map((fact, index) => ({ seq: before.length + index + 1, fact }))];
}

const plan = planRun({
  graph: graph(
    [node('hook', 'start'), node('each', 'loop'), node('a', 'step'), node('b', 'step'), node('end', 'step')],
    'hook -> each\neach -loop_body-> a\na -> b\nb -loop_return-> each\neach -> end',
  ),
  catalogue,
  triggerNodeId: 'hook',
});

const common = { at: 0, attempt: 1, durationMs: 0 };
const done = (nodeId: string, frame: string, output: Json): Fact => ({
  ...{ kind: 'step_succeeded', nodeId, frame, ...common },
  outputs: nodeId === 'hook' ? { payload: output } : nodeId === 'each' ? { results: output } : { output },
});
const failure = { code: 'step_timeout', message: 'Too long.' } as const;
const failed = (nodeId: string): Fact => ({
  ...{ kind: 'step_failed', nodeId, frame: '', ...common, retryAt: null, failure },
});
const begun = (items: readonly Json[]): Fact => ({
  ...{ kind: 'loop_started', nodeId: 'each', frame: '', at: 0, attempt: 1, items, concurrency: 1, onItemError: 'stop' },
});
const finished = (nodeId: string): Fact => ({
  ...{ kind: 'run_finished', at: 0, status: 'failed', output: null, failure, nodeId },
});

/** The journal with a retry at its end. */
function retried(journal: readonly JournalEntry[]): JournalEntry[] {
  const { revoked } = retryOf({ plan, journal, at: 0 });
  return numbered([{ kind: 'run_retried', at: 0, revoked }], journal);
}

test('the input of each step is derived from the journal, in the body of a loop too', () => {
  const value = (nodeId: string, input: Json) =>
    nodeId === 'each'
      ? { iterate: { items: [5, 6], concurrency: 1, onItemError: 'stop' as const } }
      : { value: { [nodeId]: input } };
  const inputs = [...inputsOf(plan, numbered(simulate({ plan, outcome: value })))];
  expect(inputs.slice(0, 4).map(([, input]) => input)).toEqual([
    { payload: { n: 1 }, text: '', headers: {}, query: {} },
    5,
    { a: 5 },
    6,
  ]);
});

describe('the times of an attempt', () => {
  const key = { nodeId: 'end', frame: '' };
  const hook: Fact = { ...done('hook', '', 1), at: 1000, durationMs: 10 } as Fact;
  const loop: Fact[] = [
    { ...begun([]), at: 1010 } as Fact,
    { ...done('each', '', []), at: 1020, durationMs: 10 } as Fact,
  ];
  const fails = (attempt: number, at: number, retryAt: number | null): Fact => ({
    ...{ kind: 'step_failed', ...key, at, attempt, durationMs: 100, failure, retryAt },
  });
  const ends = (attempt: number, at: number, durationMs: number): Fact => ({
    ...{ kind: 'step_succeeded', ...key, at, attempt, durationMs, outputs: {} },
  });

  function times(facts: readonly (Fact | RunRetried)[], of: Plan | null = plan): readonly unknown[] {
    const log = executionLog({ plan: of, trigger, acceptedAt: 900, journal: numbered([hook, ...loop, ...facts]) });
    return log.map(({ nodeId, attempt, queuedAt, startedAt, endedAt }) => [
      nodeId,
      attempt,
      queuedAt,
      startedAt,
      endedAt,
    ]);
  }
  const before = [
    ['hook', 1, 900, 990, 1000],
    ['each', 1, 1000, 1010, 1020],
  ];

  test('are when it could begin, when it began and when it ended', () => {
    expect(times([ends(1, 1500, 200)])).toEqual([...before, ['end', 1, 1020, 1300, 1500]]);
  });

  test('of a second attempt begin when its retry is due', () => {
    expect(times([fails(1, 1200, 2200), ends(2, 2500, 200)])).toEqual([
      ...before,
      ['end', 1, 1020, 1100, 1200],
      ['end', 2, 2200, 2300, 2500],
    ]);
  });

  test('of an attempt after a retry of the execution begin with that', () => {
    const end: Fact = { ...finished('end'), at: 1200 } as Fact;
    const again: RunRetried = { kind: 'run_retried', at: 5000, revoked: [4, 5] };
    expect(times([fails(1, 1200, null), end, again, ends(1, 5300, 200)])).toEqual([
      ...before,
      ['end', 1, 1020, 1100, 1200],
      ['end', 2, 5000, 5100, 5300],
    ]);
  });

  test('include what it waits for', () => {
    const pause = { kind: 'timer', until: 9000 } as const;
    const waits: Fact = { kind: 'step_paused', ...key, stage: 'step', attempt: 1, at: 1100, pause };
    const resumed: Fact = { kind: 'step_resumed', ...key, stage: 'step', at: 9000, answer: { kind: 'time' } };
    expect(times([waits])).toEqual([...before, ['end', 1, 1020, 1100, null]]);
    expect(times([waits, resumed, ends(1, 9001, 1)])).toEqual([...before, ['end', 1, 1020, 1100, 9001]]);
  });

  test('have the wait for an agreement before it begins', () => {
    const pause = { kind: 'approval', prompt: '?', fallback: false, until: null } as const;
    const asked: Fact = { kind: 'step_paused', ...key, stage: 'before', attempt: 0, at: 1100, pause };
    const answer = { kind: 'decision', confirmed: true, response: '', by: 'ada' } as const;
    const resumed: Fact = { kind: 'step_resumed', ...key, stage: 'before', at: 9000, answer };
    expect(times([asked])).toEqual([...before, ['end', 0, 1020, null, null]]);
    expect(times([asked, resumed, ends(1, 9100, 50)])).toEqual([...before, ['end', 1, 1020, 9050, 9100]]);
  });

  test('begin with the attempt where the version of the run cannot be read', () => {
    expect(times([ends(1, 1500, 200)], null)).toEqual([
      ['hook', 1, null, 990, 1000],
      ['each', 1, null, 1010, 1020],
      ['end', 1, null, 1300, 1500],
    ]);
  });
});

/** Each entry's times are in order, and a step's attempts have their own numbers. */
function checkLog(log: readonly LogEntry[]): void {
  const attempts = new Set<string>();
  for (const { seq, nodeId, frame, attempt, queuedAt, startedAt, endedAt, status } of log) {
    expect([queuedAt, startedAt, endedAt].filter((at) => at !== null)).toEqual(
      [queuedAt, startedAt, endedAt].filter((at) => at !== null).toSorted((a, b) => a - b),
    );
    if (status !== 'waiting') expect(endedAt, `entry ${seq}`).not.toBeNull();
    if (status === 'skipped') continue;
    const name = `${frame}/${nodeId} ${attempt}`;
    expect(attempts.has(name), name).toBe(false);
    attempts.add(name);
  }
}

test('each attempt of a random run has one entry, and its times are in order', () => {
  fc.assert(
    fc.property(worlds, picks, fc.array(fc.nat(1000), { minLength: 1 }), (world, order, gaps) => {
      let at = 5000;
      const facts = journalOf(world, order).map((fact, index) => {
        at += gaps[index % gaps.length] ?? 0;
        return { ...fact, at, ...('durationMs' in fact && { durationMs: (index * 37) % 500 }) };
      });
      checkLog(executionLog({ plan: planOf(world), trigger, acceptedAt: 4000, journal: numbered(facts) }));
    }),
  );
});

describe('after a retry', () => {
  test('all that random runs did before has the inputs that it had', () => {
    fc.assert(
      fc.property(worlds, picks, (world, order) => {
        const [followed, rounds] = [planOf(world), 3];
        let journal = numbered(journalOf(world, order));
        for (let round = 1; round <= rounds; round += 1) {
          const before = inputsOf(followed, journal);
          const { revoked } = retryOf({ plan: followed, journal, at: 0 });
          if (revoked.length === 0) return;
          journal = numbered([{ kind: 'run_retried', at: 0, revoked }], journal);
          const left = standingEntries(journal).map(({ fact }) => fact);
          journal = numbered(journalOf(world, order, { begun: left }).slice(left.length), journal);
          expect([...inputsOf(followed, journal)]).toEqual(expect.arrayContaining([...before]));
        }
      }),
    );
  });

  test('the steps of a loop that started again as a whole have their earlier inputs', () => {
    const first = [done('hook', '', 1), begun(['x']), done('a', 'each[0]', 'first'), done('b', 'each[0]', 1)];
    const journal = numbered([...first, failed('each'), finished('each')]);
    const second = [begun(['y']), done('a', 'each[0]', 'second'), done('b', 'each[0]', 2), done('each', '', [2])];
    const inputs = inputsOf(plan, numbered([...second, done('end', '', 3)], retried(journal)));
    const seen = (seqs: readonly number[]): readonly unknown[] => seqs.map((seq) => inputs.get(seq));
    expect(seen([3, 4, 5])).toEqual(['x', 'first', 1]);
    expect(seen([9, 10, 11, 12])).toEqual(['y', 'second', 1, [2]]);
  });

  test('the journal is read once, however many retries are in it', () => {
    const items = Array.from({ length: 50 }, (_, index) => index);
    const each = items.flatMap((item) => [done('a', `each[${item}]`, item), done('b', `each[${item}]`, item)]);
    const looksWith = (retries: number): number => {
      let journal = numbered([done('hook', '', 1), begun(items), ...each, done('each', '', items)]);
      for (let retry = 0; retry < retries; retry += 1) {
        journal = retried(numbered([failed('end'), finished('end')], journal));
      }
      let looks = 0;
      const counted = ({ seq, fact }: JournalEntry): JournalEntry => ({
        seq,
        get fact() {
          looks += 1;
          return fact;
        },
      });
      inputsOf(plan, journal.map(counted));
      return looks / journal.length;
    };
    expect(looksWith(40)).toBeLessThanOrEqual(2 * looksWith(1));
  });
});

import { describe, expect, test } from 'vitest';
import { catalogue, graph, node } from '../../../test/graphs.ts';
import { fold } from '../../../test/simulate.ts';
import type { Pause, PauseAnswer } from '../../component/pause.ts';
import type { Node } from '../../graph/graph.ts';
import { advance, type Decision } from '../advance.ts';
import type { Fact, LoopStarted, StepPaused, StepResumed, StepSucceeded } from '../journal/history.ts';
import { planRun } from '../plan.ts';
import type { RunState } from '../run-state.ts';

const context = {
  cancelRequested: false,
  now: 100,
  deadline: 1_000_000,
  maxSteps: 10_000,
  maxSize: 1e9,
  crashCount: 0,
  incident: null,
};
const approval: Pause = { kind: 'approval', prompt: '?', fallback: false, until: null };
const timer: Pause = { kind: 'timer', until: 100_000 };
const time: PauseAnswer = { kind: 'time' };
const yes: PauseAnswer = { kind: 'decision', confirmed: true, response: '', by: 'ada' };
const no: PauseAnswer = { ...yes, confirmed: false };

const done = (nodeId: string, fields: Partial<StepSucceeded> = {}): Fact => ({
  ...{ kind: 'step_succeeded', nodeId, frame: '', at: 0, attempt: 1, durationMs: 0, outputs: { output: nodeId } },
  ...fields,
});
const paused = (nodeId: string, pause: Pause = approval, fields: Partial<StepPaused> = {}): Fact => ({
  ...{ kind: 'step_paused', nodeId, frame: '', at: 0, attempt: 1, stage: 'step', pause },
  ...fields,
});
const resumed = (nodeId: string, answer: PauseAnswer, fields: Partial<StepResumed> = {}): Fact => ({
  ...{ kind: 'step_resumed', nodeId, frame: '', at: 0, stage: 'step', answer },
  ...fields,
});

/** A run with `hook` and the nodes and edges of a test. */
function runOf(nodes: readonly Node[], edges: string) {
  const plan = planRun({ graph: graph([node('hook', 'start'), ...nodes], edges), catalogue, triggerNodeId: 'hook' });
  return (...facts: Fact[]): RunState => fold(plan, [done('hook'), ...facts]);
}

/** Decisions in short form: the action and its node. */
function decided(state: RunState, now = context.now): string[] {
  return advance(state, { ...context, now }).map(short);
}

function short(decision: Decision): string {
  if (decision.kind === 'park')
    return `park ${decision.status}${decision.until === null ? '' : ` until ${decision.until}`}`;
  if (decision.kind === 'finish') return `finish ${decision.result.status}`;
  if (decision.kind === 'pause') return `ask ${decision.fact.stage} ${decision.step.node.nodeId}`;
  return 'step' in decision ? `${decision.kind} ${decision.step.node.nodeId}` : decision.kind;
}

describe('a step opens', () => {
  const states = runOf([node('a', 'step', {}, {})], 'hook -> a');
  const openedAt = (...facts: Fact[]) => states(...facts).root.steps.get('a')?.openedAt;

  test('when the nodes before it have ended, whatever its attempts do', () => {
    const failed: Fact = {
      ...{ kind: 'step_failed', nodeId: 'a', frame: '', at: 7, attempt: 1, durationMs: 0 },
      ...{ failure: { code: 'assertion', message: 'No.' }, retryAt: 9 },
    };
    expect([openedAt(), openedAt(failed), openedAt(failed, paused('a', timer, { at: 9, attempt: 2 }))]).toEqual([
      0, 0, 0,
    ]);
  });

  test('when its start is approved, but not again when an attempt with unknown outcome is approved', () => {
    const asked = (attempt: number) => paused('a', approval, { at: 5, attempt, stage: 'before' });
    const agreed = resumed('a', yes, { at: 8, stage: 'before' });
    expect(openedAt(asked(0), agreed)).toBe(8);
    expect(openedAt(asked(1), agreed)).toBe(0);
  });
});

describe('a step that pauses', () => {
  const at = runOf([node('a', 'step'), node('b', 'step')], 'hook -> a\na -> b');

  test('parks a run that has nothing else to do, as interrupted if it waits for a person', () => {
    expect(decided(at(paused('a', timer)))).toEqual(['park waiting']);
    expect(decided(at(paused('a')))).toEqual(['park interrupted']);
  });

  test('continues its attempt after the answer, and stores the answer until the attempt has ended', () => {
    const state = at(paused('a', timer), resumed('a', time));
    expect(decided(state)).toEqual(['perform a']);
    expect(state.root.steps.get('a')).toMatchObject({ attempts: 0, resumed: { pause: timer, answer: time } });
    const after = at(paused('a', timer), resumed('a', time), done('a'));
    expect(after.root.steps.get('a')).toMatchObject({ phase: 'succeeded', resumed: null });
    expect(decided(after)).toEqual(['perform b']);
  });

  test('starts again if it fails after its answer', () => {
    const failure = { code: 'subworkflow', message: 'It failed.' } as const;
    const fail: Fact = {
      kind: 'step_failed',
      nodeId: 'a',
      frame: '',
      at: 0,
      attempt: 1,
      durationMs: 0,
      failure,
      retryAt: 5,
    };
    const state = at(paused('a', timer), resumed('a', time), fail);
    expect(state.root.steps.get('a')).toMatchObject({ phase: 'retrying', attempts: 1, resumed: null });
  });

  test("ends if the run is cancelled, or if the run's time was up before the pause", () => {
    const state = at(paused('a'));
    expect(advance(state, { ...context, cancelRequested: true }).map(short)).toEqual(['finish cancelled']);
    expect(decided(state, context.deadline)).toEqual(['park interrupted']);
    expect(decided(at(paused('a', approval, { at: context.deadline })))).toEqual(['finish failed']);
  });

  test('does not use up the time of the run, unless other steps are in progress', () => {
    const { deadline } = context;
    const answered = at(paused('a', timer, { at: 1000 }), resumed('a', time, { at: deadline + 500 }));
    expect(answered.waitedMs).toBe(deadline - 500);
    expect(decided(answered, deadline + 500)).toEqual(['perform a']);
    expect(decided(answered, deadline + deadline - 500)).toEqual(['finish failed']);
    const beside = runOf([node('a', 'step'), node('b', 'step')], 'hook -> a\nhook -> b');
    expect(beside(paused('a', timer), resumed('a', time, { at: deadline })).waitedMs).toBe(0);
  });

  test('stays with its owner for a few seconds, and is parked if it is not resumed in time', () => {
    const state = at(paused('a', { kind: 'timer', until: 6000 }));
    expect(decided(state, 900)).toEqual(['park waiting']);
    expect(advance(state, { ...context, now: 1000 })).toEqual([{ kind: 'wake', at: 11_001 }]);
    expect(advance(state, { ...context, now: 6001 })).toEqual([{ kind: 'wake', at: 11_001 }]);
    expect(decided(state, 11_001)).toEqual(['park waiting']);
  });
});

test('a run is parked only if no other branch has something to do', () => {
  const at = runOf([node('a', 'step'), node('b', 'step')], 'hook -> a\nhook -> b');
  expect(decided(at(paused('a', timer)))).toEqual(['perform b']);
  expect(decided(at(paused('a', timer), paused('b')))).toEqual(['park interrupted']);
  expect(decided(at(paused('a', timer), done('b')))).toEqual(['park waiting']);
});

describe('a node that interrupts', () => {
  const interrupting = { ...node('a', 'step'), interruptBefore: true, interruptAfter: true };
  const at = runOf([interrupting, node('b', 'step')], 'hook -> a\na -> b');
  const before = [paused('a', approval, { stage: 'before' }), resumed('a', yes, { stage: 'before' })] as const;
  const after = [paused('a', approval, { stage: 'after' }), resumed('a', yes, { stage: 'after' })] as const;

  test('requests approval before it runs and after it has succeeded, and its edges are taken only then', () => {
    expect(decided(at())).toEqual(['ask before a']);
    expect(decided(at(before[0]))).toEqual(['park interrupted']);
    expect(decided(at(...before))).toEqual(['perform a']);
    expect(decided(at(...before, done('a')))).toEqual(['ask after a']);
    expect(decided(at(...before, done('a'), after[0]))).toEqual(['park interrupted']);
    expect(decided(at(...before, done('a'), ...after))).toEqual(['perform b']);
  });

  test('does not request approval again after a failed attempt', () => {
    const failure = { code: 'http_status', message: '500' } as const;
    const fail: Fact = {
      kind: 'step_failed',
      nodeId: 'a',
      frame: '',
      at: 0,
      attempt: 1,
      durationMs: 0,
      failure,
      retryAt: 5,
    };
    expect(decided(at(...before, fail))).toEqual(['perform a']);
  });

  test('ends the run if the answer is no, before it and after it', () => {
    const declined = resumed('a', no, { stage: 'before' });
    expect(decided(at(before[0], declined))).toEqual(['finish cancelled']);
    expect(decided(at(...before, done('a'), after[0], resumed('a', no, { stage: 'after' })))).toEqual([
      'finish cancelled',
    ]);
    expect(advance(at(before[0], declined), context)).toMatchObject([
      { result: { nodeId: 'a', failure: { message: "The execution was declined at node 'a' by ada." } } },
    ]);
  });

  test('does not request approval if another execution performed it and continued', () => {
    expect(decided(at(done('a', { agreed: true })))).toEqual(['perform b']);
  });
});

describe('in a loop', () => {
  const nodes = [node('each', 'loop', { timeout_seconds: 1 }), node('a', 'step'), node('b', 'step')];
  const at = runOf(nodes, 'hook -> each\neach -loop_body-> a\na -> b\nb -loop_return-> each');
  const started = (onItemError: 'stop' | 'continue' = 'stop'): LoopStarted => {
    const loop = { nodeId: 'each', frame: '', at: 0, attempt: 1, items: [1, 2], concurrency: 2 };
    return { kind: 'loop_started', ...loop, onItemError };
  };
  const [first, second] = [{ frame: 'each[0]' }, { frame: 'each[1]' }];

  test('each frame waits separately, and the end of a wait does not end the frame', () => {
    const state = at(started(), paused('a', approval, first), paused('a', approval, second));
    expect(decided(state)).toEqual(['park interrupted until 1000']);
    expect(
      decided(at(started(), paused('a', approval, first), paused('a', approval, second), resumed('a', yes, first))),
    ).toEqual(['perform a', 'wake']);
  });

  test('a loop fails at its deadline, whatever its frames wait for, and their waits are abandoned', () => {
    const facts = [started(), paused('a', approval, first), paused('a', timer, second)];
    expect(decided(at(...facts), 1000)).toEqual(['fail_loop each']);
    const failure = { code: 'step_timeout', message: 'Too long.' } as const;
    const end: Fact = {
      kind: 'step_failed',
      nodeId: 'each',
      frame: '',
      at: 0,
      attempt: 1,
      durationMs: 0,
      failure,
      retryAt: null,
    };
    const state = at(...facts, end);
    expect(state.paused.size).toBe(0);
    expect(state.abandoned).toEqual([
      { frame: 'each[0]', nodeId: 'a', stage: 'step' },
      { frame: 'each[1]', nodeId: 'a', stage: 'step' },
    ]);
  });

  test('a failed item abandons its own waits, and not those of other items', () => {
    const failure = { code: 'http_status', message: '500' } as const;
    const fail: Fact = {
      kind: 'step_failed',
      nodeId: 'a',
      ...first,
      at: 0,
      attempt: 1,
      durationMs: 0,
      failure,
      retryAt: null,
    };
    const state = at(started('continue'), paused('a', approval, second), fail);
    expect(state.abandoned).toEqual([]);
    expect([...state.paused].map(({ frame }) => frame.key)).toEqual(['each[1]']);
  });
});

import { describe, expect, test } from 'vitest';
import { catalogue, graph, node } from '../../../test/graphs.ts';
import { calm, fold, type Outcome, simulate } from '../../../test/simulate.ts';
import { runThrough } from '../../base/meter.ts';
import type { Call } from '../../component/tools/calls.ts';
import { advance } from '../advance.ts';
import type { Fact, JournalEntry, StepResumed } from '../journal/history.ts';
import { retryOf, standingEntries } from '../journal/retried-journal.ts';
import { planRun } from '../plan.ts';
import { effectOf, type StepState } from '../run-state.ts';
import { inputOf } from '../step-input.ts';
import { isToCome } from '../step-to-come.ts';

const planWith = (tool: Parameters<typeof node>[2] = {}, caller: Parameters<typeof node>[2] = {}) =>
  planRun({
    graph: graph(
      [
        node('hook', 'start'),
        node('ai', 'caller', caller),
        node('gpt', 'model'),
        node('t', 'tool', tool),
        node('end', 'step'),
      ],
      'hook -> ai\nai -> end\ngpt -llm-> ai\nt -tool-> ai',
    ),
    catalogue,
    triggerNodeId: 'hook',
  });

const model: Call = { to: 'gpt', effect: 'idempotent' };
const asked = (id: string, rest = {}): Call => ({ to: 't', tool: 't', id, effect: 'once', ...rest });

/** A caller that makes these batches of calls, one after the other. */
const calling =
  (
    batches: readonly (readonly Call[])[],
    others: (nodeId: string, step: StepState) => Outcome = () => ({ value: 1 }),
    concurrency = 8,
  ) =>
  (nodeId: string, _input: unknown, step: StepState): Outcome => {
    if (nodeId !== 'ai') return others(nodeId, step);
    const made = step.calls?.all.length ?? 0;
    let before = 0;
    for (const batch of batches) {
      if (before === made) return { calls: batch, brief: { question: 'Why?' }, concurrency };
      before += batch.length;
    }
    return { value: 'answer' };
  };

const path = (journal: readonly Fact[]) =>
  journal.map((fact) => ('frame' in fact ? `${fact.frame}/${fact.nodeId} ${fact.kind}` : fact.status));

describe('calls of a step', () => {
  test('run one after the other or together, each in its own frame, and the step ends after them', () => {
    const journal = simulate({ plan: planWith(), outcome: calling([[model], [asked('a'), asked('b')], [model]]) });
    expect(path(journal)).toEqual([
      '/hook step_succeeded',
      '/ai calls_opened',
      'ai[0]/gpt step_succeeded',
      '/ai calls_opened',
      'ai[1]/t step_succeeded',
      'ai[2]/t step_succeeded',
      '/ai calls_opened',
      'ai[3]/gpt step_succeeded',
      '/ai step_succeeded',
      '/end step_succeeded',
      'completed',
    ]);
  });

  test('are at most as many at once as the concurrency allows', () => {
    const batch = [asked('a'), asked('b'), asked('c')];
    const journal = simulate({ plan: planWith(), outcome: calling([batch], undefined, 2) });
    expect([...fold(planWith(), journal.slice(0, 2)).frames.keys()]).toEqual(['ai[0]', 'ai[1]']);
    expect([...fold(planWith(), journal.slice(0, 3)).frames.keys()]).toEqual(['ai[1]', 'ai[2]']);
  });

  test('leave nothing in the state after the end of the step', () => {
    const journal = simulate({ plan: planWith(), outcome: calling([[model], [asked('a')]]) });
    const state = fold(planWith(), journal);
    expect({ frames: state.frames.size, open: state.open.size, calls: state.root.steps.get('ai')?.calls }).toEqual({
      frames: 0,
      open: 0,
      calls: null,
    });
  });

  test('get their arguments from the answer of the model, and their effect from the call', () => {
    const answer = { text: '', stop: 'calls', calls: [{ id: 'a', tool: 't', arguments: { n: 1 } }] };
    const hostile = { calls: [{ id: 'a', tool: 't', arguments: { n: 666 } }] };
    const opened = (calls: readonly Call[]): Fact => ({ ...at('ai'), kind: 'calls_opened', concurrency: 8, calls });
    const at = (nodeId: string, frame = '') => ({ nodeId, frame, attempt: 1, at: 0 });
    const state = fold(planWith(), [
      { ...at('hook'), kind: 'step_succeeded', durationMs: 0, outputs: {} },
      opened([model]),
      { ...at('gpt', 'ai[0]'), kind: 'step_succeeded', durationMs: 0, outputs: answer },
      opened([asked('b')]),
      // A tool whose output looks like an answer of the model.
      { ...at('t', 'ai[1]'), kind: 'step_succeeded', durationMs: 0, outputs: hostile },
      opened([asked('a')]),
    ]);
    const [step] = state.open;
    if (step === undefined) throw new Error('no step is open');
    expect(runThrough(inputOf(step, { payload: null, text: '' }))).toEqual({ n: 1 });
    expect(effectOf(step)).toBe('once');
  });
});

describe('calls that fail', () => {
  test('are results for the step, and so are those that are not made', () => {
    const rejected: Call = { id: 'b', tool: 'x', rejected: { code: 'tool_unknown', message: 'No.' } };
    const ends: unknown[] = [];
    const outcome = calling([[asked('a'), rejected]], () => ({ fails: true }));
    const journal = simulate({
      plan: planWith(),
      outcome: (nodeId, input, step) => {
        if (nodeId === 'ai' && step.calls !== null) ends.push(...step.calls.all.map(({ ended }) => ended));
        return nodeId === 'hook' || nodeId === 'end' ? { value: 1 } : outcome(nodeId, input, step);
      },
    });
    expect(journal.at(-1)).toMatchObject({ status: 'completed' });
    expect(ends).toMatchObject([{ failure: { code: 'step_crashed' } }, { failure: { code: 'tool_unknown' } }]);
  });

  test('fail the step if the called node says so, and a retry continues with the failed call', () => {
    const plan = planWith({ on_error: 'stop' });
    const failing = calling([[model], [asked('a'), asked('b')]], (nodeId) =>
      nodeId === 't' ? { fails: true } : { value: 1 },
    );
    const journal = simulate({ plan, outcome: failing });
    expect(path(journal).slice(-4)).toEqual(['/ai calls_opened', 'ai[1]/t step_failed', '/ai step_failed', 'failed']);
    const entries: JournalEntry[] = journal.map((fact, index) => ({ seq: index + 1, fact }));
    const { revoked } = retryOf({ plan, journal: entries, at: 1 });
    entries.push({ seq: entries.length + 1, fact: { kind: 'run_retried', at: 1, revoked } });
    const again = simulate(
      { plan, outcome: calling([[model], [asked('a'), asked('b')]]) },
      standingEntries(entries).map(({ fact }) => fact),
    );
    expect(path(again).slice(3)).toEqual([
      '/ai calls_opened',
      'ai[1]/t step_succeeded',
      'ai[2]/t step_succeeded',
      '/ai step_succeeded',
      '/end step_succeeded',
      'completed',
    ]);
  });

  test('of a second attempt have other frames, and the first calls are gone', () => {
    let attempts = 0;
    const plan = planWith({ on_error: 'stop' }, { retry: { max_attempts: 2 } });
    const outcome = calling([[asked('a')]], (nodeId) => {
      if (nodeId !== 't') return { value: 1 };
      attempts += 1;
      return attempts === 1 ? { fails: true } : { value: 1 };
    });
    const journal = simulate({ plan, outcome });
    expect(path(journal).filter((entry) => entry.includes('/t '))).toEqual([
      'ai[0]/t step_failed',
      'ai#2[0]/t step_succeeded',
    ]);
    const later = fold(plan, journal.slice(0, 5));
    expect(isToCome(later, { nodeId: 't', frame: 'ai#2[1]' })).toBe(true);
    expect(isToCome(later, { nodeId: 't', frame: 'ai[0]' })).toBe(false);
  });
});

describe('calls with limits', () => {
  test('that a person declines are results, and other calls go on', () => {
    const plan = planWith();
    const begun = simulate({ plan, outcome: calling([[asked('a', { asks: { seconds: 60 } }), asked('b')]]) });
    // The simulation approves; here the answer is no.
    const place = begun.findIndex(({ kind }) => kind === 'step_resumed');
    const yes = begun[place] as StepResumed;
    const no: StepResumed = {
      ...yes,
      answer: { kind: 'decision', confirmed: false, response: 'Too late.', by: 'alex' },
    };
    const paused = begun.find((fact) => fact.kind === 'step_paused');
    expect(paused).toMatchObject({ pause: { kind: 'approval', fallback: false, until: 60_000 }, stage: 'before' });
    const state = fold(plan, [...begun.slice(0, place), no]);
    expect(state.declined).toBeNull();
    expect(state.root.steps.get('ai')?.calls?.all[0]?.ended).toEqual({
      failure: { code: 'tool_declined', message: 'A person declined this call, so it was not made: Too late.' },
    });
  });

  test('end at the time limit of the step', () => {
    const plan = planWith({}, { timeout_seconds: 10 });
    const begun = simulate({ plan: planWith(), outcome: calling([[asked('a')]]) }).slice(0, 2);
    const state = fold(plan, begun);
    const [, late] = advance(state, { ...calm, now: 10_000, deadline: 60_000 });
    expect(late).toMatchObject({
      kind: 'fail_calls',
      failure: { code: 'step_timeout', message: 'The step took longer than 10 s.' },
    });
  });
});

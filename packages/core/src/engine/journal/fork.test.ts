import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue, graph, node } from '../../../test/graphs.ts';
import { interpret } from '../../../test/interpreter.ts';
import type { RandomWorld } from '../../../test/random-world.ts';
import { fold } from '../../../test/simulate.ts';
import { journalOf, picks, planOf, worlds } from '../../../test/simulated-world.ts';
import { violationsIn } from '../../../test/violations.ts';
import { advance } from '../advance.ts';
import { planRun } from '../plan.ts';
import { forkJournal } from './fork.ts';
import type { Fact, JournalEntry, StepFailed, StepSucceeded } from './history.ts';

/** Enough graphs for each kind of node to occur on both sides of the fork. */
const numRuns = Number(process.env.MODEL_RUNS ?? 400);

/** The same world with approvals before and after some of its steps. */
function asking(world: RandomWorld, chances: readonly number[]): RandomWorld {
  const nodes = world.graph.nodes.map((each, index) => {
    const chance = chances[index % chances.length] ?? 0;
    return { ...each, interruptBefore: index > 0 && chance % 4 === 0, interruptAfter: chance % 3 === 0 };
  });
  return { ...world, graph: { ...world.graph, nodes } };
}

function forked(world: RandomWorld, journal: readonly Fact[], fromNode: string): readonly Fact[] {
  const source = { executionId: 'e1', journal: entriesOf(journal) };
  return forkJournal({
    plan: planOf(world),
    source,
    fromNode,
    overrides: new Map(),
    pins: new Map(),
    isAlone: false,
    isKept: () => true,
  });
}

function entriesOf(journal: readonly Fact[]): readonly JournalEntry[] {
  return journal.map((fact, index) => ({ seq: index + 1, fact }));
}

/** Facts of attempts. An approval may still follow a step that was reused. */
function isEnd(fact: Fact): fact is StepSucceeded | StepFailed {
  return fact.kind === 'step_succeeded' || fact.kind === 'step_failed';
}

/** The expected end of a replay, without the contents of the loops that it reuses. */
function expectedOf(world: RandomWorld) {
  const expected = interpret(world);
  return { ...expected, ends: new Map([...expected.ends].filter(([name]) => name.startsWith('/'))) };
}

describe('a replay of a random run', () => {
  test('ends as the plain interpreter predicts, from any node, and performs no reused step', () => {
    fc.assert(
      fc.property(worlds, picks, picks, fc.nat(), (drawn, chances, order, from) => {
        const world = asking(drawn, chances);
        const names = [...planOf(world).nodes.keys()];
        const begun = forked(world, journalOf(world, order), names[from % names.length] ?? '');
        const journal = journalOf(world, order, { begun }).filter(
          ({ kind, ...fact }) => !('frame' in fact) || fact.frame === '',
        );
        expect(violationsIn(journal, expectedOf(world))).toEqual([]);
        expect(journal.slice(0, begun.length)).toEqual(begun);
        const later = journal
          .slice(begun.length)
          .filter(isEnd)
          .map(({ nodeId }) => nodeId);
        const reused = begun.filter(isEnd).map(({ nodeId }) => nodeId);
        expect(later.filter((nodeId) => reused.includes(nodeId))).toEqual([]);
      }),
      { numRuns },
    );
  });
});

describe('a replay past an approval that follows a step', () => {
  const interrupting = { ...node('a', 'step'), interruptAfter: true };
  const nodes = [node('hook', 'start'), interrupting, node('b', 'step'), node('beside', 'step')];
  const edges = 'hook -> a\na -> b\nhook -> beside';
  const planWith = (interruptAfter: boolean) =>
    planRun({
      graph: graph([...nodes.filter(({ nodeId }) => nodeId !== 'a'), { ...interrupting, interruptAfter }], edges),
      catalogue,
      triggerNodeId: 'hook',
    });
  const done = (nodeId: string): Fact => ({
    ...{ kind: 'step_succeeded', nodeId, frame: '', at: 0, attempt: 1, durationMs: 0, outputs: { output: nodeId } },
  });
  const about = { nodeId: 'a', frame: '', at: 0, stage: 'after' } as const;
  const asked: Fact = {
    ...{ kind: 'step_paused', ...about, attempt: 1 },
    pause: { kind: 'approval', prompt: '?', fallback: false, until: null },
  };
  const answered = (confirmed: boolean): Fact => ({
    ...{ kind: 'step_resumed', ...about, answer: { kind: 'decision', confirmed, response: '', by: null } },
  });

  /** The decisions of a replay from `beside`. */
  function decided(interruptAfter: boolean, ...afterA: readonly Fact[]): readonly string[] {
    const plan = planWith(interruptAfter);
    const journal = entriesOf([done('hook'), done('a'), ...afterA]);
    const source = { executionId: 'e1', journal };
    const facts = forkJournal({
      plan,
      source,
      fromNode: 'beside',
      overrides: new Map(),
      pins: new Map(),
      isAlone: false,
      isKept: () => true,
    });
    return decidedFrom(plan, facts);
  }

  function decidedFrom(plan: ReturnType<typeof planWith>, facts: readonly Fact[]): readonly string[] {
    const context = {
      cancelRequested: false,
      now: 0,
      deadline: 1,
      maxSteps: 100,
      maxSize: 1e6,
      crashCount: 0,
      incident: null,
    };
    return advance(fold(plan, facts), context).map((decision) =>
      'step' in decision ? `${decision.kind} ${decision.step.node.nodeId}` : decision.kind,
    );
  }

  test('does not request it again if it was given, or if the replayed version did not request it', () => {
    expect(decided(true, asked, answered(true))).toEqual(['perform b', 'perform beside']);
    expect(decided(true)).toEqual(['perform b', 'perform beside']);
  });

  test('requests it if nobody had answered or the answer was no, and does not perform the step again', () => {
    expect(decided(true, asked)).toEqual(['pause a', 'perform beside']);
    expect(decided(true, asked, answered(false))).toEqual(['pause a', 'perform beside']);
    expect(decided(true, asked, answered(false), asked, answered(true))).toEqual(['perform b', 'perform beside']);
  });

  test('requests it if that replay was itself replayed before the request', () => {
    const plan = planWith(true);
    const replay = (journal: readonly Fact[]) => {
      const source = { executionId: 'e1', journal: entriesOf(journal) };
      return forkJournal({
        plan,
        source,
        fromNode: 'beside',
        overrides: new Map(),
        pins: new Map(),
        isAlone: false,
        isKept: () => true,
      });
    };
    const [once, agreed] = [replay([done('hook'), done('a'), asked]), replay([done('hook'), done('a')])];
    expect(decidedFrom(plan, replay(once))).toEqual(['pause a', 'perform beside']);
    expect(decidedFrom(plan, replay(agreed))).toEqual(['perform b', 'perform beside']);
  });

  test('requests nothing if the new version does not', () => {
    expect(decided(false, asked, answered(false))).toEqual(['perform b', 'perform beside']);
  });

  test('is read correctly if it began with the approval itself, as in earlier releases', () => {
    const facts = [done('hook'), done('a'), asked, answered(true)];
    for (const interruptAfter of [true, false]) {
      expect(decidedFrom(planWith(interruptAfter), facts)).toEqual(['perform b', 'perform beside']);
    }
  });
});

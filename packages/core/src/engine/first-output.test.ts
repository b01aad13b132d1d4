import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue, graph, node } from '../../test/graphs.ts';
import { fold, simulate, trigger } from '../../test/simulate.ts';
import { journalOf, picks, planOf, worlds } from '../../test/simulated-world.ts';
import type { Json } from '../json.ts';
import { executionLog } from './journal/execution-log.ts';
import type { Fact, JournalEntry } from './journal/history.ts';
import { type Plan, planRun } from './plan.ts';

/** A journal as it was written when a switch had only the port `route`. */
function asRecordedBefore(journal: readonly Fact[]): Fact[] {
  return journal.map((fact) =>
    fact.kind === 'step_succeeded' && fact.route !== undefined ? { ...fact, outputs: { route: fact.route } } : fact,
  );
}

/** What each step was given, by `seq`. */
function inputsOf(plan: Plan, journal: readonly JournalEntry[]): ReadonlyMap<number, Json> {
  const log = executionLog({ plan, trigger, acceptedAt: 0, journal });
  return new Map(log.map(({ seq, input }) => [seq, input]));
}

function numbered(journal: readonly Fact[]): JournalEntry[] {
  return journal.map((fact, index) => ({ seq: index + 1, fact }));
}

const chain = planRun({
  graph: graph(
    [node('hook', 'start'), node('s', 'switch'), node('a', 'step'), node('b', 'step')],
    'hook -> s\ns -[x]-> a\na -> b',
  ),
  catalogue,
  triggerNodeId: 'hook',
});

describe('a switch', () => {
  test('passes its input to the nodes behind it', () => {
    const inputs = new Map<string, Json>();
    simulate({
      plan: chain,
      outcome(nodeId, input) {
        inputs.set(nodeId, input);
        return nodeId === 's' ? { route: 'x' } : { value: { by: nodeId } };
      },
    });
    expect(Object.fromEntries(inputs)).toMatchObject({ s: { by: 'hook' }, a: { by: 'hook' }, b: { by: 'a' } });
  });

  test('that was recorded with only its route passes the route to them, as it did then', () => {
    const outcome = (nodeId: string) => (nodeId === 's' ? { route: 'x' } : { value: nodeId });
    const recorded = asRecordedBefore(simulate({ plan: chain, outcome }));
    expect(inputsOf(chain, numbered(recorded)).get(3)).toBe('x');
    // The process ended when the switch had run.
    const seen: Json[] = [];
    const journal = simulate(
      {
        plan: chain,
        outcome(nodeId, input) {
          seen.push(input);
          return { value: nodeId };
        },
      },
      recorded.slice(0, 2),
    );
    expect(seen).toEqual(['x', 'a']);
    expect(fold(chain, journal).finished).toMatchObject({ status: 'completed', output: 'b' });
  });

  test('recorded in that format lets every run continue from any point', () => {
    fc.assert(
      fc.property(worlds, picks, fc.nat(), (world, order, cut) => {
        const journal = asRecordedBefore(journalOf(world, order));
        const begun = journal.slice(0, cut % journal.length);
        const ended = journalOf(world, order, { begun });
        expect(fold(planOf(world), ended).finished).not.toBeNull();
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../test/graphs.ts';
import { interpret } from '../../test/interpreter.ts';
import type { RandomWorld } from '../../test/random-world.ts';
import { journalOf, picks, worlds } from '../../test/simulated-world.ts';
import { plain } from '../../test/step-value.ts';
import { violationsIn } from '../../test/violations.ts';
import type { JsonObject } from '../json.ts';
import { validateGraph } from '../validation/validate.ts';
import type { Fact } from './journal/history.ts';

/** The number of graphs for each property: enough for every rule to occur often. */
const numRuns = Number(process.env.MODEL_RUNS ?? 400);

/** The same world with joins that all wait for all edges. */
function withoutEagerJoins(world: RandomWorld): RandomWorld {
  const nodes = world.graph.nodes.map((node) => {
    const { join: _join, ...extra } = node.config.extra_config as JsonObject;
    return { ...node, config: { ...node.config, extra_config: extra } };
  });
  return { ...world, graph: { ...world.graph, nodes } };
}

/** The facts of a journal without their order. */
function sorted(journal: readonly Fact[]): readonly string[] {
  return journal.map((fact) => JSON.stringify(fact)).sort();
}

describe('a random graph', () => {
  test('runs as the plain interpreter predicts, whichever step ends first', () => {
    fc.assert(
      fc.property(worlds, picks, (world, order) => {
        expect(violationsIn(journalOf(world, order), interpret(world))).toEqual([]);
      }),
      { numRuns },
    );
  });

  test('has the same end in every order, though its journal differs', () => {
    fc.assert(
      fc.property(worlds, picks, picks, (world, one, other) => {
        const [left, right] = [journalOf(world, one).at(-1), journalOf(world, other).at(-1)];
        expect(left).toMatchObject({ status: right?.kind === 'run_finished' ? right.status : null });
        if (left?.kind === 'run_finished' && right?.kind === 'run_finished' && left.status === 'completed') {
          expect(plain(left.output)).toEqual(plain(right.output));
        }
      }),
      { numRuns },
    );
  });

  test('writes the same facts in every order, unless a join takes the first edge or a failure stops other steps', () => {
    fc.assert(
      fc.property(worlds.map(withoutEagerJoins), picks, picks, (world, one, other) => {
        const { status, ends } = interpret(world);
        fc.pre(status === 'completed' && [...ends.values()].every(({ isCertain }) => isCertain));
        expect(sorted(journalOf(world, one))).toEqual(sorted(journalOf(world, other)));
      }),
      { numRuns },
    );
  });

  test('writes the same journal when its steps end in the same order', () => {
    fc.assert(
      fc.property(worlds, picks, (world, order) => {
        expect(journalOf(world, order)).toEqual(journalOf(world, order));
      }),
      { numRuns: numRuns / 4 },
    );
  });

  test('may make exactly as many steps as its limit, with any steps left to skip or to end', () => {
    fc.assert(
      fc.property(worlds, picks, (world, order) => {
        const journal = journalOf(world, order);
        const steps = journal.filter(({ kind }) => kind === 'step_succeeded' || kind === 'step_failed').length;
        expect(journalOf(world, order, { maxSteps: steps })).toEqual(journal);
      }),
      { numRuns: numRuns / 4 },
    );
  });

  test('has loops that pass the validation of graphs', () => {
    fc.assert(
      fc.property(worlds, ({ graph }) => {
        const codes = validateGraph(graph, catalogue).map(({ code }) => code);
        expect(codes).not.toContain('loop_body');
        expect(codes).not.toContain('cycle');
      }),
      { numRuns: numRuns / 4 },
    );
  });
});

import { type Graph, type GraphIssue, isError } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { edgeDisagreements, issuesOf, storedPart, textDisagreements, textOf } from './answers.ts';
import { connectedGraphs } from './connected-graphs.ts';
import { decisions, resultOf } from './decided-errors.ts';
import { drawnGraphs } from './drawn-graphs.ts';
import type { Reception } from './performed-steps.ts';
import { allRunsTo, type SampledRun, sampledRuns, type Visit } from './sampled-runs.ts';
import { spoiledGraphs } from './spoiled-graphs.ts';

/** The number of graphs for each property: `npm run test:agreement` checks many more. */
const numRuns = Number(process.env.AGREEMENT_GRAPHS ?? 2000);

const anyGraph = fc.oneof(drawnGraphs, connectedGraphs(true));

/**
 * The least share of the graphs in which runs decide something: that an input of a known type arrives, about 37 of 100,
 * and that an error is right, about 71 of 100.
 */
const leastShares = { inputs: 0.3, errors: 0.6 };

/** Mostly graphs in which inputs have known types. */
const validGraphs = fc.oneof(
  { weight: 4, arbitrary: connectedGraphs(false) },
  { weight: 1, arbitrary: spoiledGraphs },
  { weight: 1, arbitrary: anyGraph.map(storedPart) },
);

/** Errors of steps that no graph without errors has, whatever its values are. */
function isNeverValid(reception: Reception): boolean {
  return reception === 'crashed' || reception === 'missing_connection';
}

const inputCodes: readonly string[] = ['edge_types', 'missing_input'];

/** The issues that say that a node cannot use what its edges bring. */
function inputIssues(graph: Graph, issues: readonly GraphIssue[], nodeId: string): readonly GraphIssue[] {
  const into = new Set(graph.edges.flatMap((edge) => (edge.targetNodeId === nodeId ? [edge.id] : [])));
  return issues.filter(
    (issue) => inputCodes.includes(issue.code) && (issue.nodeId === nodeId || into.has(issue.edgeId ?? 0)),
  );
}

/** The nodes that reject an input of a known type whenever a run performs them. */
function rejecting(runs: readonly SampledRun[]): readonly string[] {
  const visits = runs.flatMap((run) => run.visits);
  return [...Map.groupBy(visits, ({ nodeId }) => nodeId)].flatMap(([nodeId, each]) =>
    each.every(rejects) ? [nodeId] : [],
  );
}

function rejects({ isKnown, isAllowedBoolean, receptions }: Visit): boolean {
  return isKnown && !isAllowedBoolean && receptions.every((one) => one === 'input');
}

/** Inputs of known types that every run of a graph rejects, although no check reports them. */
async function unreported(graph: Graph, issues: readonly GraphIssue[], runs: readonly SampledRun[]) {
  const found: string[] = [];
  for (const nodeId of rejecting(runs)) {
    if (inputIssues(graph, issues, nodeId).length > 0) continue;
    const all = await allRunsTo(graph, nodeId);
    if (all !== null && rejecting(all).includes(nodeId)) found.push(`${nodeId} rejects its input`);
  }
  return found;
}

describe('a generated graph', () => {
  test('has edges on which POST, PATCH, graph/, validate/ and the interface agree', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        expect(edgeDisagreements(graph), textOf(graph)).toEqual([]);
      }),
      { numRuns },
    );
  });

  test('has the same issues in validate/ and in its text, and is imported unchanged if it could be stored', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        expect(textDisagreements(graph), textOf(graph)).toEqual([]);
      }),
      { numRuns },
    );
  });

  test('can be run from each trigger if it is valid, and no step rejects an input of a known type in every run', async () => {
    let [checked, decided] = [0, 0];
    await fc.assert(
      fc.asyncProperty(validGraphs, async (graph) => {
        const issues = issuesOf(graph);
        fc.pre(!issues.some(isError));
        const { runs, starts } = await sampledRuns(graph);
        expect(
          starts.filter(({ problem }) => problem !== null),
          textOf(graph),
        ).toEqual([]);
        expect(await unreported(graph, issues, runs), textOf(graph)).toEqual([]);
        const visits = runs.flatMap((run) => run.visits);
        expect(
          visits.filter(({ receptions }) => receptions.some(isNeverValid)),
          textOf(graph),
        ).toEqual([]);
        checked += 1;
        if (visits.some(({ isKnown }) => isKnown)) decided += 1;
      }),
      { numRuns },
    );
    expect(decided / checked).toBeGreaterThan(leastShares.inputs);
  });

  test('has errors only for what no run can do', async () => {
    const confirmed = new Set<string>();
    let [checked, decided] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyGraph, spoiledGraphs, spoiledGraphs), async (graph) => {
        const errors = issuesOf(graph).filter(isError);
        fc.pre(errors.length > 0);
        const sampled = await sampledRuns(graph);
        const results = await Promise.all(errors.map((issue) => resultOf({ issue, graph, sampled })));
        const refuted = errors.filter((_issue, index) => results[index] === 'refuted');
        expect(
          refuted.map(({ message }) => message),
          textOf(graph),
        ).toEqual([]);
        for (const [index, { code }] of errors.entries()) if (results[index] === 'confirmed') confirmed.add(code);
        checked += 1;
        if (results.includes('confirmed')) decided += 1;
      }),
      { numRuns },
    );
    expect(decided / checked).toBeGreaterThan(leastShares.errors);
    const decidable = Object.entries(decisions).flatMap(([code, decide]) => (typeof decide === 'string' ? [] : [code]));
    if (numRuns >= 2000) expect([...confirmed].sort()).toEqual(decidable.sort());
  });
});

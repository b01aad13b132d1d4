import { catalogue } from '@millrace/components';
import { type Graph, type GraphIssue, isError } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { edgeDisagreements, issuesOf, storedPart, textDisagreements, textOf } from './answers.ts';
import { connectedGraphs } from './connected-graphs.ts';
import { drawnGraphs } from './drawn-graphs.ts';
import { sampledRuns, type Visit } from './sampled-runs.ts';

/** The number of graphs for each property: `npm run test:agreement` checks many more. */
const numRuns = Number(process.env.AGREEMENT_GRAPHS ?? 2000);

const anyGraph = fc.oneof(drawnGraphs, connectedGraphs(true));

const inputCodes: readonly string[] = ['edge_types', 'missing_input'];

/** The issues that say that a node cannot use what its edges bring. */
function inputIssues(graph: Graph, issues: readonly GraphIssue[], nodeId: string): readonly GraphIssue[] {
  const into = new Set(graph.edges.flatMap((edge) => (edge.targetNodeId === nodeId ? [edge.id] : [])));
  return issues.filter(
    (issue) => inputCodes.includes(issue.code) && (issue.nodeId === nodeId || into.has(issue.edgeId ?? 0)),
  );
}

/** Inputs of known types that every run of a graph rejects, although no check reports them. */
function unreported(graph: Graph, issues: readonly GraphIssue[], visits: readonly Visit[]): readonly string[] {
  return [...Map.groupBy(visits, ({ nodeId }) => nodeId)].flatMap(([nodeId, each]) => {
    const isRejected = each.every(
      ({ isKnown, receptions }) => isKnown && receptions.every((one) => one === 'rejected'),
    );
    return isRejected && inputIssues(graph, issues, nodeId).length === 0 ? [`${nodeId} rejects its input`] : [];
  });
}

/** Inputs that a check reports as wrong, although a run accepts them. */
function wronglyReported(graph: Graph, issues: readonly GraphIssue[], visits: readonly Visit[]): readonly string[] {
  return visits.flatMap(({ nodeId, isKnown, edgeIds, receptions }) => {
    const node = graph.nodes.find((one) => one.nodeId === nodeId);
    const component = catalogue.get(node?.componentType ?? '');
    // A trigger has no input, and what gathers takes each of its edges by itself.
    if (!isKnown || component?.inputs[0] === undefined || component.gathers !== undefined) return [];
    const found = issues.find(
      (issue) => issue.code === 'edge_types' && (issue.nodeId === nodeId || edgeIds.includes(issue.edgeId ?? 0)),
    );
    return found !== undefined && receptions.includes('accepted') ? [`${nodeId} accepts: ${found.message}`] : [];
  });
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
    await fc.assert(
      fc.asyncProperty(fc.oneof(connectedGraphs(false), anyGraph.map(storedPart)), async (graph) => {
        const issues = issuesOf(graph);
        fc.pre(!issues.some(isError));
        const { runs, rejected } = await sampledRuns(graph);
        expect(rejected, textOf(graph)).toEqual([]);
        expect(unreported(graph, issues, runs?.flat() ?? []), textOf(graph)).toEqual([]);
      }),
      { numRuns },
    );
  });

  test('is rejected for the type of an input only if the runs reject that input', async () => {
    await fc.assert(
      fc.asyncProperty(anyGraph, async (graph) => {
        const issues = issuesOf(graph);
        fc.pre(issues.some(({ code }) => code === 'edge_types'));
        const { runs } = await sampledRuns(graph);
        expect(wronglyReported(graph, issues, runs?.flat() ?? []), textOf(graph)).toEqual([]);
      }),
      { numRuns },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalogue, graphs, knownIds, workflows } from '../../test/dsl.ts';
import type { Graph, Workflow } from '../graph/graph.ts';
import { validateGraph } from '../validation/validate.ts';
import { checkDsl } from './check.ts';
import { printDsl } from './print.ts';
import { readDsl } from './read.ts';

/** A credential's name may be any text. */
const namesOfIds = knownIds.map((id) => [id, `main: #${id}`] as const);
const slugsOfIds = knownIds.map((id) => [id, `wf-${id}`] as const);
const names = { credentials: new Map(namesOfIds), workflows: new Map(slugsOfIds) };
const world = {
  catalogue,
  credentials: new Map(namesOfIds.map(([id, name]) => [name, id])),
  workflows: new Map(slugsOfIds.map(([id, slug]) => [slug, id])),
  checkSchema: () => null,
};

function print(workflow: Workflow, graph: Graph): string {
  return printDsl({ workflow, graph, catalogue, names });
}

function check(text: string) {
  return checkDsl(readDsl(text, catalogue), world);
}

/** The workflow in a text, in the form that is printed. */
function read(text: string): { readonly workflow: Workflow; readonly graph: Graph } {
  const { workflow, issues } = check(text);
  if (workflow === null)
    throw new Error(`${text}\n${issues.map(({ line, message }) => `${line}: ${message}`).join('\n')}`);
  const { header, errorHandlerId, graph } = workflow;
  const { errorHandler: _slug, ...fields } = header;
  const versions = { version: 1, publishedVersion: null };
  const unstored = { id: 1, ownerId: 1, nodeCount: 0, edgeCount: 0, ...versions, createdAt: 0, updatedAt: 0 };
  return {
    workflow: { ...fields, isActive: fields.isActive ?? true, ...unstored, errorHandlerWorkflowId: errorHandlerId },
    graph,
  };
}

describe('the text of a workflow', () => {
  it('is parsed as the same workflow and printed as the same text', () => {
    fc.assert(
      fc.property(workflows, graphs, (workflow, graph) => {
        const text = print(workflow, graph);
        const back = read(text);
        expect(back).toEqual({ workflow, graph });
        expect(print(back.workflow, back.graph)).toBe(text);
      }),
      { numRuns: Number(process.env.DSL_RUNS ?? 50) },
    );
  });

  it('is valid exactly if its workflow is', () => {
    fc.assert(
      fc.property(workflows, graphs, (workflow, graph) => {
        const isValid = validateGraph(graph, catalogue).every(({ severity }) => severity !== 'error');
        expect(check(print(workflow, graph)).isValid).toBe(isValid);
      }),
      { numRuns: 20 },
    );
  });
});

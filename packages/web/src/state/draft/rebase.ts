import {
  type EditRules,
  edgesAt,
  type Graph,
  isSameEdge,
  isSameNode,
  type Node,
  type VersionedGraph,
} from '@millrace/core/editing';
import { conflictFrom, withConflicts, withPresentValues } from './conflicts.ts';
import type { ChangedObject } from './contested.ts';
import type { Conflict, Draft, Entry } from './draft.ts';
import { Names } from './names.ts';
import type { DraftOperation, Gesture } from './operation.ts';
import { type Changes, marked, type Replayed, replayed } from './replay.ts';
import { type View, viewOf } from './view.ts';

/** What others changed between two states of a graph. */
export function changesBetween(before: Graph, after: Graph): Changes {
  const now = new Map(after.nodes.map((node) => [node.id, node]));
  const taken = new Set(after.nodes.map(({ nodeId }) => nodeId));
  const knownEdges = new Set(before.edges.map(({ id }) => id));
  const renames: { from: string; to: string }[] = [];
  const deleted = new Set<string>();
  const changed = new Set<number>();
  const nodes = new Map<number, ChangedObject<Node>>();
  for (const node of before.nodes) {
    const present = now.get(node.id);
    if (present === undefined) {
      if (!taken.has(node.nodeId)) deleted.add(node.nodeId);
      continue;
    }
    if (present === node) continue;
    nodes.set(node.id, { before: node, after: present });
    if (present.nodeId !== node.nodeId) renames.push({ from: node.nodeId, to: present.nodeId });
    const { positionX, positionY } = node;
    if (!isSameNode({ ...present, positionX, positionY }, node)) changed.add(node.id);
  }
  const newEdges = after.edges.filter(({ id }) => !knownEdges.has(id));
  for (const node of newEdges.length === 0 ? [] : before.nodes) {
    const present = now.get(node.id);
    if (present !== undefined && edgesAt({ nodes: [], edges: newEdges }, present.nodeId).length > 0) {
      changed.add(node.id);
    }
  }
  return { renames, deleted, changed, nodes, edges: changedEdges(before, after), areOfOthers: true };
}

function changedEdges(before: Graph, after: Graph): Changes['edges'] {
  const now = new Map(after.edges.map((edge) => [edge.id, edge]));
  return new Map(
    before.edges.flatMap((edge) => {
      const present = now.get(edge.id);
      if (present === undefined || present === edge || isSameEdge(present, edge)) return [];
      return [[edge.id, { before: edge, after: present }] as const];
    }),
  );
}

/** The draft on another state of the graph: as much of each pending gesture as possible, and what was lost. */
export function rebased(rules: EditRules, draft: Draft, base: VersionedGraph, changes: Changes): Draft {
  const names = new Names(changes.renames);
  const results = new Map<string, Replayed>();
  const edgeIds = new Map(draft.edgeIds);
  const gone = new Set([...draft.gone, ...changes.deleted]);
  for (const { nodeId } of base.nodes) gone.delete(nodeId);
  const context = { rules, names, changes: { ...changes, deleted: gone } };
  let view: View = viewOf(base, edgeIds);
  for (const gesture of draft.pending) {
    const result = replayed(context, view, gesture);
    for (const [key, id] of result.sameEdges) edgeIds.set(key, id);
    results.set(gesture.id, result);
    view = result.view;
  }
  const pending = [...results.values()].map(({ gesture }) => gesture).filter(({ operations }) => operations.length > 0);
  const start = viewOf(base, edgeIds);
  return {
    ...draft,
    base,
    edgeIds,
    view,
    gone,
    pending,
    conflicts: withConflicts(withPresentValues(draft.conflicts, base.nodes), conflictsOf(draft.pending, results)),
    undo: renamedEntries(rules, start, { entries: draft.undo, names: new Names(changes.renames), changes, results }),
    redo: renamedEntries(rules, start, { entries: draft.redo, names, changes, results }),
  };
}

function conflictsOf(pending: readonly Gesture[], results: ReadonlyMap<string, Replayed>): readonly Conflict[] {
  return pending.flatMap(({ id, label }) => {
    const lost = results.get(id)?.lost ?? [];
    if (lost.length === 0) return [];
    return [conflictFrom({ id, label, lost })];
  });
}

interface Renaming {
  readonly entries: readonly Entry[];
  readonly names: Names;
  readonly changes: Changes;
  readonly results: ReadonlyMap<string, Replayed>;
}

/** The entries with present names, from the newest to the oldest; those of pending gestures have new inverses. */
function renamedEntries(
  rules: EditRules,
  view: View,
  { entries, names, changes, results }: Renaming,
): readonly Entry[] {
  const renamed = entries.toReversed().map((entry): Entry => {
    const [only, ...more] = entry.gestures;
    const result = only === undefined || more.length > 0 ? undefined : results.get(only);
    if (result !== undefined) return { ...entry, operations: result.inverse };
    return {
      ...entry,
      operations: entry.operations.flatMap((operation) =>
        marked(presentName(operation, names, { rules, view }), view, { changes, rules }),
      ),
    };
  });
  return renamed.toReversed().filter(({ operations }) => operations.length > 0);
}

function presentName(
  operation: DraftOperation,
  names: Names,
  { rules, view }: { readonly rules: EditRules; readonly view: View },
): DraftOperation {
  const present = names.in(operation, rules, view);
  names.follow(operation);
  return present;
}

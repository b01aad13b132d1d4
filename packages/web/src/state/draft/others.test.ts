import { findNode, type NodeFields } from '@millrace/core/editing';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Draft, newDraft } from './draft.ts';
import { ModelService, rules } from './model-service.testkit.ts';
import type { DraftOperation } from './operation.ts';
import { edge, label, node, rename } from './operations.testkit.ts';
import { attemptedAgain, perform, undo } from './performing.ts';
import { acknowledged, rejected, requested, stale } from './saving.ts';

let service: ModelService;
let draft: Draft;
let count = 0;
beforeEach(() => {
  service = new ModelService();
  draft = newDraft(service.graph);
  edit(node('a'), node('b', '{{ a.output }}'));
  save();
});

const nextId = () => {
  count += 1;
  return `id-${count}`;
};

function edit(...operations: DraftOperation[]): void {
  draft = perform(rules, draft, { id: nextId(), label: 'Edit', operations, at: 0 });
}

/** Somebody else saves operations of the API first. */
function others(...operations: Parameters<ModelService['apply']>[0]['operations']): void {
  expect(service.apply({ requestId: nextId(), version: service.graph.version, operations }).kind).toBe('saved');
}

function save(): void {
  for (let next = requested(draft, nextId()); next !== null; next = requested(draft, nextId())) {
    const outcome = service.apply(next.sending.request);
    if (outcome.kind === 'saved') draft = acknowledged(rules, next.draft, outcome.answer);
    else if (outcome.kind === 'stale') draft = stale(rules, next.draft, outcome.graph);
    else draft = rejected(rules, next.draft, outcome);
  }
}

describe('an edit that is saved after the edit of somebody else', () => {
  it('applies to a node that was renamed, also in its texts', () => {
    edit(label('a', 'mine'), {
      op: 'update_node',
      nodeId: 'b',
      changes: { config: { extra_config: { text: '{{ a.x }}' } } },
    });
    others({ op: 'update_node', nodeId: 'a', changes: { nodeId: 'z' } });
    save();
    expect(findNode(service.graph, 'z')?.label).toBe('mine');
    expect(findNode(service.graph, 'b')?.config.extra_config).toEqual({ text: '{{ z.x }}' });
    draft = undo(rules, draft, { id: nextId(), at: 0 });
    save();
    expect(findNode(service.graph, 'z')?.label).toBeNull();
    expect(draft.conflicts).toEqual([]);
  });

  it('gives a new node another name if its name was taken, and its edges follow', () => {
    const line = { ...edge, sourceNodeId: 'a', targetNodeId: 'c' };
    edit(node('c'), { op: 'create_edge', key: 'k', edge: line }, label('c', 'mine'));
    others({ op: 'create_node', node: (node('c') as { node: NodeFields }).node });
    save();
    expect(findNode(service.graph, 'c_2')?.label).toBe('mine');
    expect(service.graph.edges).toMatchObject([{ sourceNodeId: 'a', targetNodeId: 'c_2' }]);
    expect(draft.conflicts).toEqual([]);
  });

  it('does not delete a node that somebody else changed, until the user tries again', () => {
    edit({ op: 'delete_node', nodeId: 'a' });
    others({ op: 'update_node', nodeId: 'a', changes: { label: 'theirs' } });
    save();
    expect(findNode(service.graph, 'a')?.label).toBe('theirs');
    const [conflict] = draft.conflicts;
    expect(conflict?.reasons).toEqual(["Node 'a' was not deleted, because somebody else changed it."]);
    draft = attemptedAgain(rules, draft, { conflict: conflict?.id ?? '', moment: { id: nextId(), at: 0 } });
    save();
    expect(findNode(service.graph, 'a')).toBeUndefined();
    expect(draft.conflicts).toEqual([]);
  });

  it('reports what it would have changed in a deleted node, and keeps the rest of the gesture', () => {
    edit(label('a', 'mine'), label('b', 'mine too'));
    others({ op: 'delete_node', nodeId: 'a' });
    save();
    expect(findNode(service.graph, 'b')?.label).toBe('mine too');
    expect(draft.conflicts).toMatchObject([
      { reasons: ["Somebody else deleted node 'a'."], operations: [label('a', 'mine')] },
    ]);
  });

  it('draws no edge to a node that was deleted, also by an undo', () => {
    edit({ op: 'create_edge', key: 'k', edge: { ...edge, sourceNodeId: 'a', targetNodeId: 'b' } });
    save();
    edit({ op: 'delete_edge', key: 'k' });
    save();
    others({ op: 'delete_node', nodeId: 'b' });
    edit(label('a', 'mine'));
    save();
    draft = undo(rules, draft, { id: nextId(), at: 0 });
    draft = undo(rules, draft, { id: nextId(), at: 0 });
    save();
    expect(service.graph.edges).toEqual([]);
    expect(draft.conflicts).toMatchObject([{ reasons: ["Somebody else deleted node 'b'."] }]);
  });
});

it('a gesture that the service rejects is dropped with a conflict, and the others are saved', () => {
  edit(label('a', 'one'));
  edit(rename('a', 'c'), node('d'));
  edit(label('b', 'three'));
  const next = requested(draft, nextId());
  if (next === null) throw new Error('there is nothing to send');
  draft = rejected(rules, next.draft, { index: 2, message: 'The config is invalid.' });
  save();
  expect(service.graph.nodes).toMatchObject([
    { nodeId: 'a', label: 'one' },
    { nodeId: 'b', label: 'three' },
  ]);
  expect(draft.conflicts).toMatchObject([
    { reasons: ['The config is invalid.'], operations: [rename('a', 'c'), node('d')] },
  ]);
  expect(draft.undo.length).toBe(3);
});

import { findNode, type JsonObject } from '@millrace/core/editing';
import { beforeEach, expect, test } from 'vitest';
import { lostValues } from './conflicts.ts';
import { type Draft, newDraft } from './draft.ts';
import { ModelService, rules } from './model-service.testkit.ts';
import type { DraftOperation } from './operation.ts';
import { edge, label, node, rename } from './operations.testkit.ts';
import { attemptedAgain, perform, undo } from './performing.ts';
import { acknowledged, rejected, requested, stale } from './saving.ts';
import { answered, reopened, type StoredDraft, storedDraft } from './stored-draft.ts';

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

const text = (nodeId: string, given: Record<string, unknown>): DraftOperation => ({
  op: 'update_node',
  nodeId,
  changes: { config: { extra_config: given as JsonObject } },
});
const textOf = (nodeId: string) => findNode(service.graph, nodeId)?.config.extra_config;
const keepMine = () => {
  draft = attemptedAgain(rules, draft, { conflict: draft.conflicts[0]?.id ?? '', moment: { id: nextId(), at: 0 } });
};
const back = () => {
  draft = undo(rules, draft, { id: nextId(), at: 0 });
};

/** The page is opened again, and gets the answer that it has not got. */
const reload = () => {
  const stored: StoredDraft = JSON.parse(JSON.stringify(storedDraft(draft)));
  const outcome = stored.sending === null ? null : service.apply(stored.sending.request);
  const answer = outcome?.kind === 'saved' ? outcome.answer : null;
  draft = reopened(rules, answered(rules, stored, answer), service.graph);
};

test('a value that two people changed overwrites nothing until a person chooses', () => {
  edit(text('a', { text: 'mine', other: 1 }));
  others(text('a', { text: 'theirs' }) as never);
  save();
  expect(textOf('a')).toEqual({ text: 'theirs', other: 1 });
  expect(draft.conflicts).toMatchObject([
    { values: [{ owner: 'a', path: 'config.extra_config.text', mine: 'mine', theirs: 'theirs' }] },
  ]);
  keepMine();
  save();
  expect(textOf('a')).toEqual({ text: 'mine', other: 1 });
  expect(draft.conflicts).toEqual([]);
  back();
  save();
  expect(textOf('a')).toEqual({ text: 'theirs', other: 1 });
});

test('a value that two people changed is no conflict if both changed it to the same value, or different values of a node', () => {
  edit(text('a', { text: 'same' }), label('b', 'mine'));
  others(text('a', { text: 'same' }) as never, text('b', { text: 'theirs' }) as never);
  save();
  expect(findNode(service.graph, 'b')).toMatchObject({ label: 'mine', config: { extra_config: { text: 'theirs' } } });
  expect(draft.conflicts).toEqual([]);
});

test('a value that two people changed is one conflict of the newest values, however often it was edited and changed', () => {
  edit(label('a', 'one'));
  edit(label('a', 'two'));
  others(label('a', 'theirs') as never);
  save();
  edit(label('a', 'three'));
  others(label('a', 'newer') as never);
  save();
  expect(draft.conflicts).toMatchObject([{ values: [{ mine: 'three', theirs: 'newer' }] }]);
  expect(findNode(service.graph, 'a')?.label).toBe('newer');
});

test('a value that two people changed is a conflict of places, names and connections too', () => {
  edit({ op: 'create_edge', key: 'k', edge: { ...edge, sourceNodeId: 'a', targetNodeId: 'b' } });
  save();
  const id = service.graph.edges[0]?.id ?? 0;
  edit({ op: 'update_node', nodeId: 'a', changes: { positionX: 9, positionY: 9 } });
  edit({ op: 'update_edge', key: 'k', changes: { priority: 1 } });
  edit(rename('b', 'mine'), label('mine', 'renamed'));
  others(
    { op: 'update_node', nodeId: 'a', changes: { positionX: 5, positionY: 5 } },
    { op: 'update_edge', edgeId: id, changes: { priority: 2 } },
    { op: 'update_node', nodeId: 'b', changes: { nodeId: 'theirs' } },
  );
  save();
  expect(draft.conflicts.map(({ values }) => values)).toMatchObject([
    [{ owner: 'a', path: 'position', mine: [9, 9], theirs: [5, 5] }],
    [{ owner: 'a → theirs', path: 'priority', mine: 1, theirs: 2 }],
    [{ owner: 'theirs', path: 'nodeId', mine: 'mine', theirs: 'theirs' }],
  ]);
  expect(findNode(service.graph, 'theirs')?.label).toBe('renamed');
  keepMine();
  save();
  expect(findNode(service.graph, 'a')?.positionX).toBe(9);
  expect(draft.conflicts).toHaveLength(2);
});

test('a value that two people changed is a conflict if an undo would overwrite or delete it', () => {
  edit(label('a', 'mine'));
  edit(node('c'));
  save();
  others(label('a', 'theirs') as never, label('c', 'used') as never);
  edit(label('b', 'later'));
  save();
  back();
  back();
  back();
  save();
  expect(findNode(service.graph, 'c')?.label).toBe('used');
  expect(findNode(service.graph, 'a')?.label).toBe('theirs');
  expect(draft.conflicts).toMatchObject([
    { reasons: ["Node 'c' was not deleted, because somebody else changed it."] },
    { values: [{ owner: 'a', path: 'label', mine: null, theirs: 'theirs' }] },
  ]);
  keepMine();
  save();
  expect(findNode(service.graph, 'c')).toBeUndefined();
});

test('a value that two people changed survives the page', () => {
  edit(label('a', 'mine'));
  others(label('a', 'theirs') as never);
  save();
  expect(draft.conflicts).toHaveLength(1);
  const stored = JSON.parse(JSON.stringify(storedDraft(draft)));
  expect(reopened(rules, stored, service.graph).conflicts).toEqual(JSON.parse(JSON.stringify(draft.conflicts)));
});

test('a value that two people changed is a conflict if an undo after a reload would overwrite or delete it', () => {
  edit({ op: 'create_edge', key: 'k', edge: { ...edge, sourceNodeId: 'a', targetNodeId: 'b' } });
  save();
  edit({ op: 'update_edge', key: 'k', changes: { priority: 1 } });
  edit(label('a', 'mine'), text('b', { text: 'mine', other: 1 }));
  edit(node('c'));
  save();
  others(label('a', 'theirs') as never, text('b', { text: 'theirs' }) as never, label('c', 'used') as never, {
    op: 'update_edge',
    edgeId: service.graph.edges[0]?.id ?? 0,
    changes: { priority: 2 },
  });
  reload();
  back();
  back();
  back();
  save();
  expect(service.graph.nodes).toMatchObject([{ label: 'theirs' }, { nodeId: 'b' }, { label: 'used' }]);
  expect(textOf('b')).toEqual({ text: 'theirs' });
  expect(service.graph.edges).toMatchObject([{ priority: 2 }]);
  expect(draft.conflicts.map(({ reasons, values = [] }) => [reasons, values.map(({ theirs }) => theirs)])).toEqual([
    [["Node 'c' was not deleted, because somebody else changed it."], []],
    [
      ["Somebody else changed the same value of 'b'.", "Somebody else changed the same value of 'a'."],
      ['theirs', 'theirs'],
    ],
    [["Somebody else changed the same value of 'a → b'."], [2]],
  ]);
});

test('a value that only one person changed is no conflict for an undo after a reload, also if its save had no answer', () => {
  edit(label('a', 'mine'), text('b', { text: 'mine' }));
  save();
  edit(rename('a', 'z'), label('z', 'renamed'));
  edit(node('c'), label('c', 'new'));
  const next = requested(draft, nextId());
  if (next === null) throw new Error('there is nothing to send');
  draft = next.draft;
  service.apply(next.sending.request);
  reload();
  for (let count = 0; count < 3; count += 1) back();
  save();
  expect(draft.conflicts).toEqual([]);
  expect(service.graph.nodes).toMatchObject([{ nodeId: 'a', label: null }, { nodeId: 'b' }]);
  expect(service.graph.nodes).toHaveLength(2);
});

test('a value that two people changed is no conflict with texts that only follow a new name', () => {
  edit(text('b', { text: 'mine {{ a.output }}' }));
  others({ op: 'update_node', nodeId: 'a', changes: { nodeId: 'z' } });
  save();
  expect(draft.conflicts).toEqual([]);
  expect(textOf('b')).toEqual({ text: 'mine {{ z.output }}' });
});

test('a newer conflict about a value replaces that value in an older one, whose other values stay', () => {
  edit(label('a', 'one'), text('a', { text: 'mine' }));
  others(label('a', 'theirs') as never, text('a', { text: 'theirs' }) as never);
  save();
  edit(label('a', 'three'));
  others(label('a', 'newer') as never);
  save();
  expect(draft.conflicts).toMatchObject([
    {
      reasons: ["Somebody else changed the same value of 'a'."],
      values: [{ path: 'config.extra_config.text', mine: 'mine', theirs: 'theirs' }],
      operations: [text('a', { text: 'mine' })],
    },
    { values: [{ path: 'label', mine: 'three', theirs: 'newer' }] },
  ]);
  draft = attemptedAgain(rules, draft, { conflict: draft.conflicts[1]?.id ?? '', moment: { id: nextId(), at: 0 } });
  save();
  expect(findNode(service.graph, 'a')?.label).toBe('three');
  keepMine();
  save();
  expect(findNode(service.graph, 'a')).toMatchObject({ label: 'three', config: { extra_config: { text: 'mine' } } });
  expect(draft.conflicts).toEqual([]);
});

test('a conflict about a deleted node shows what would have been changed in it', () => {
  edit(label('a', 'mine'), text('a', { text: 'typed', other: null }), label('b', 'mine too'));
  edit({ op: 'update_node', nodeId: 'a', changes: { positionX: 9, positionY: 9 } });
  others({ op: 'delete_node', nodeId: 'a' }, label('b', 'theirs') as never);
  save();
  expect(draft.conflicts.map(lostValues)).toEqual([
    [
      { owner: 'a', path: 'label', mine: 'mine' },
      { owner: 'a', path: 'config.extra_config.text', mine: 'typed' },
      { owner: 'a', path: 'config.extra_config.other', mine: undefined },
    ],
    [],
  ]);
  expect(draft.conflicts[0]?.values).toMatchObject([{ owner: 'b', path: 'label' }]);
});

import { type GraphOperation, Problem, type TextGraph } from '@millrace/core/editing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { DraftStore } from '../state/draft/draft-store.ts';
import { localDraft } from '../state/draft/local-draft.ts';
import { ModelService, rules } from '../state/draft/model-service.testkit.ts';
import { RandomEdits } from '../state/draft/random-edits.testkit.ts';
import { mergedText } from './merge-text.ts';
import { ModelTexts } from './model-texts.testkit.ts';
import { textOperations } from './text-operations.ts';
import { TextSession } from './text-session.ts';

const numRuns = Number(import.meta.env.MILLRACE_TEXT_RUNS ?? 8);

interface Timer {
  readonly at: number;
  readonly fn: () => void;
}

/** Virtual time. */
class Clock {
  now = 0;
  #timers = new Set<Timer>();

  readonly after = (ms: number, fn: () => void): (() => void) => {
    const timer = { at: this.now + ms, fn };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  };

  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    for (;;) {
      for (let turn = 0; turn < 60; turn += 1) await Promise.resolve();
      const due = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.now = Math.max(this.now, due.at);
      due.fn();
    }
    this.now = end;
  }
}

/** The editor with its canvas and its text pane. */
async function open({ service = new ModelService(), saved = null as string | null } = {}) {
  const clock = new Clock();
  const texts = new ModelTexts();
  const state = { saved, isOnline: true, count: 0 };
  const newId = () => `id-${++state.count}`;
  const kept = new Map<string, string>();
  const store = await DraftStore.open({
    rules,
    storage: localDraft(
      {
        getItem: (key) => kept.get(key) ?? null,
        setItem: (key, text) => void kept.set(key, text),
        removeItem: (key) => void kept.delete(key),
      },
      { workflowId: 1, tab: 'one' },
    ),
    send: async (request) => (state.isOnline ? service.apply(request) : { kind: 'unknown' }),
    read: async () => service.graph,
    after: clock.after,
    now: () => clock.now,
    newId,
  });
  const online =
    <T>(value: () => T) =>
    async () => {
      if (!state.isOnline) throw new Error('The service does not answer.');
      return value();
    };
  const exported = () => texts.canonical(service.graph);
  const session = new TextSession({
    load: online(() => state.saved ?? exported()),
    save: (text) => online(() => void Object.assign(state, { saved: text }))(),
    read: (text) => online(() => texts.read(text))(),
    exported: online(exported),
    merge: async (text, canonical) => mergedText(text, canonical),
    edit: (before: TextGraph, after: TextGraph) => {
      const operations = textOperations(before.graph, after, { view: store.getSnapshot().view, newKey: newId });
      if (operations.length > 0) store.perform({ label: 'Edit the text', operations, field: 'text' });
    },
    isSaved: () => store.getSnapshot().save.kind === 'saved',
    change: (changes) => online(() => void Object.assign(texts, changes))(),
    after: clock.after,
  });
  let version = 0;
  store.subscribe(() => {
    const { view, save } = store.getSnapshot();
    if (save.kind !== 'saved' || view.graph.version === version) return;
    version = view.graph.version;
    session.workflowChanged();
  });
  await session.open();
  const text = () => session.getSnapshot().text ?? '';
  const type = (change: (before: string) => string) => session.edit(change(text()));
  return { clock, service, store, session, state, texts, text, type, exported };
}

type Editor = Awaited<ReturnType<typeof open>>;

/** Some nodes and edges, as another editor made them. */
function furnished(): ModelService {
  const service = new ModelService();
  const drawn = new RandomEdits(7, 'B').paste(4);
  const operations = drawn.flatMap((operation): GraphOperation[] => {
    if (operation.op === 'create_node') return [operation];
    return operation.op === 'create_edge' ? [{ op: 'create_edge', edge: operation.edge }] : [];
  });
  service.apply({ requestId: 'first', version: service.graph.version, operations });
  return service;
}

/** The text and the graph of the service say the same. */
function expectSynced({ text, texts, exported, session }: Editor): void {
  expect(session.getSnapshot()).toMatchObject({ state: 'synced', failure: null });
  expect(texts.read(text()).workflow?.canonical).toBe(exported());
}

describe('the text and the canvas', () => {
  it('show an edit of the text on the canvas, and leave the text as it was written', async () => {
    const editor = await open({ service: furnished() });
    editor.type((text) => `# A comment.\n${text.replace(/label: label \d+/, 'label:   "New"   # why')}`);
    const written = editor.text();
    await editor.clock.pass(2000);
    expect(editor.service.graph.nodes.some(({ label }) => label === 'New')).toBe(true);
    expect(editor.text()).toBe(written);
    expect(editor.state.saved).toBe(written);
    expectSynced(editor);
  });

  it('show an edit on the canvas in the text, with the comments of the text', async () => {
    const editor = await open({ service: furnished() });
    editor.type((text) => `# A comment.\n${text}`);
    await editor.clock.pass(2000);
    const [node] = editor.service.graph.nodes;
    const changes = { label: 'Moved', positionX: 7 };
    editor.store.perform({ label: 'Move', operations: [{ op: 'update_node', nodeId: node?.nodeId ?? '', changes }] });
    await editor.clock.pass(2000);
    expect(editor.text()).toMatch(/^# A comment\.\n/);
    expect(editor.text()).toContain('label: Moved');
    expectSynced(editor);
  });

  it('do not change the canvas while the text has an error, and merge both afterwards', async () => {
    const editor = await open({ service: furnished() });
    editor.type((text) => `${text.replace(/label: label \d+/, 'label: By text')}broken: [\n`);
    await editor.clock.pass(2000);
    expect(editor.session.getSnapshot()).toMatchObject({ state: 'invalid', issues: [{ severity: 'error' }] });
    const before = editor.service.graph;
    expect(before.nodes.some(({ label }) => label === 'By text')).toBe(false);
    const last = before.nodes.at(-1)?.nodeId ?? '';
    const changes = { label: 'By canvas' };
    editor.store.perform({ label: 'Rename', operations: [{ op: 'update_node', nodeId: last, changes }] });
    await editor.clock.pass(2000);
    expect(editor.text()).toContain('broken: [');
    editor.type((text) => text.replace('broken: [\n', ''));
    await editor.clock.pass(5000);
    const labels = editor.service.graph.nodes.map(({ label }) => label);
    expect(labels).toEqual(expect.arrayContaining(['By text', 'By canvas']));
    expectSynced(editor);
  });

  it('replace a text with errors when it is discarded', async () => {
    const editor = await open({ service: furnished() });
    editor.type(() => 'nodes: [');
    await editor.clock.pass(2000);
    await editor.session.discard();
    expectSynced(editor);
  });
});

describe('the text pane', () => {
  it('undoes an edit of the text like any other edit', async () => {
    const editor = await open({ service: furnished() });
    const written = editor.text();
    editor.type((text) => text.replace(/label: label \d+/, 'label: New'));
    await editor.clock.pass(2000);
    editor.store.undo();
    await editor.clock.pass(2000);
    expect(editor.text()).toBe(written);
    expectSynced(editor);
  });

  it('changes a field of the workflow itself', async () => {
    const editor = await open({ service: furnished() });
    editor.type((text) => text.replace('name: Model', 'name: Other # here'));
    await editor.clock.pass(2000);
    expect(editor.texts.name).toBe('Other');
    expectSynced(editor);
  });

  it('opens a saved text with what changed since', async () => {
    const first = await open({ service: furnished() });
    first.type((text) => `# A comment.\n${text}`);
    await first.clock.pass(2000);
    const { service } = first;
    service.apply({
      requestId: 'later',
      version: service.graph.version,
      operations: [{ op: 'update_node', nodeId: service.graph.nodes[0]?.nodeId ?? '', changes: { label: 'Later' } }],
    });
    const second = await open({ service, saved: first.state.saved });
    expect(second.text()).toMatch(/^# A comment\.\n/);
    expect(second.text()).toContain('label: Later');
    expectSynced(second);
  });

  it('continues after the service was away', async () => {
    const editor = await open({ service: furnished() });
    editor.state.isOnline = false;
    editor.type((text) => text.replace(/label: label \d+/, 'label: Offline'));
    await editor.clock.pass(2000);
    expect(editor.session.getSnapshot()).toMatchObject({ state: 'failed' });
    editor.state.isOnline = true;
    editor.session.flush();
    await editor.clock.pass(60_000);
    expect(editor.service.graph.nodes.some(({ label }) => label === 'Offline')).toBe(true);
    expectSynced(editor);
  });
});

/** What a person types: a changed label, a new node, a removed node, a comment, or an error that is corrected later. */
function typed(edits: RandomEdits, before: string): string {
  const { random } = edits;
  const isBroken = before.endsWith('broken: [\n');
  if (isBroken) return random.isOne(2) ? before.replace('broken: [\n', '') : before;
  const sketch = parse(before) as { nodes?: { id: string; label?: string }[]; layout?: Record<string, unknown> };
  const old = stringify(sketch, { lineWidth: 0, aliasDuplicateObjects: false });
  const node = random.of(sketch.nodes ?? []);
  switch (random.below(5)) {
    case 0:
      return `# comment ${edits.next()}\n${before}`;
    case 1:
      return `${before}broken: [\n`;
    case 2:
      if (node !== undefined) node.label = `text ${edits.next()}`;
      break;
    case 3: {
      const id = `t${edits.next()}`;
      sketch.nodes = [...(sketch.nodes ?? []), { id, ...{ type: 'template' }, label: 'new' }];
      break;
    }
    default: {
      const nodes = sketch.nodes?.filter((one) => one !== node) ?? [];
      if (nodes.length > 0) sketch.nodes = nodes;
      else delete sketch.nodes;
      delete sketch.layout?.[node?.id ?? ''];
      if (Object.keys(sketch.layout ?? {}).length === 0) delete sketch.layout;
    }
  }
  return (
    mergedText(before, { before: old, after: stringify(sketch, { lineWidth: 0, aliasDuplicateObjects: false }) }) ??
    before
  );
}

it('after any edits of both, the text and the canvas are equal, and no comment is lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const editor = await open({ service: furnished() });
      const edits = new RandomEdits(seed, 'A');
      const { random } = edits;
      for (let step = 0; step < 30; step += 1) {
        if (random.isOne(2)) editor.type((text) => typed(edits, text));
        else draw(editor, edits);
        await editor.clock.pass(random.below(1500));
      }
      const comments = (editor.text().match(/^# comment \d+$/gm) ?? []).length;
      editor.type((text) => text.replace('broken: [\n', ''));
      await editor.clock.pass(60_000);
      expectSynced(editor);
      if (!editor.session.getSnapshot().isReplaced) {
        expect(editor.text().match(/^# comment \d+$/gm) ?? []).toHaveLength(comments);
      }
    }),
    { numRuns },
  );
});

function draw({ store }: Editor, edits: RandomEdits): void {
  try {
    store.perform({ label: 'Edit', operations: edits.draw(store.getSnapshot().view) });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

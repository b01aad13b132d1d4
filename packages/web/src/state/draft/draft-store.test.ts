import { Problem } from '@millrace/core/editing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SaveRequest } from './draft.ts';
import { DraftStore, type SendOutcome } from './draft-store.ts';
import { localDraft } from './local-draft.ts';
import { content, ModelService, rules, timeless } from './model-service.testkit.ts';
import { Random, RandomEdits } from './random-edits.testkit.ts';

const numRuns = Number(import.meta.env.MILLRACE_DRAFT_RUNS ?? 20);

interface Timer {
  readonly at: number;
  readonly fn: () => void;
}

/** A browser with one tab, whose page may be killed, and a network that loses requests and answers. */
class Browser {
  readonly service: ModelService;
  readonly texts = new Map<string, string>();
  readonly sent: SaveRequest[] = [];
  now = 0;
  lost: 'nothing' | 'requests' | 'answers' | 'session' = 'nothing';
  #timers = new Set<Timer>();
  #count = 0;
  /** Calls of a killed page do nothing. */
  #page = 0;

  constructor(service = new ModelService()) {
    this.service = service;
  }

  open(): Promise<DraftStore> {
    this.kill();
    const page = this.#page;
    const texts = {
      getItem: (key: string) => this.texts.get(key) ?? null,
      setItem: (key: string, text: string) => void (page === this.#page && this.texts.set(key, text)),
      removeItem: (key: string) => void (page === this.#page && this.texts.delete(key)),
    };
    return DraftStore.open({
      rules,
      storage: localDraft(texts, { workflowId: 1, tab: 'one' }),
      send: (request) => (page === this.#page ? this.#send(request) : new Promise(() => undefined)),
      read: async () => this.service.graph,
      after: (ms, fn) => {
        const timer = { at: this.now + ms, fn };
        this.#timers.add(timer);
        return () => void this.#timers.delete(timer);
      },
      now: () => this.now,
      newId: () => {
        this.#count += 1;
        return `id-${this.#count}`;
      },
    });
  }

  /** Nothing of the page happens after this. */
  kill(): void {
    this.#page += 1;
    this.#timers = new Set();
  }

  async #send(request: SaveRequest): Promise<SendOutcome> {
    this.sent.push(request);
    if (this.lost === 'requests') return { kind: 'unknown' };
    if (this.lost === 'session') return { kind: 'blocked', message: 'Log in.' };
    const outcome = this.service.apply(request);
    return this.lost === 'answers' ? { kind: 'unknown' } : outcome;
  }

  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    for (;;) {
      await settled();
      const due = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.now = Math.max(this.now, due.at);
      due.fn();
    }
    this.now = end;
  }
}

/** All promises that are ready have continued: a request passes through fewer than this many. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}

const node = (edits: RandomEdits) => ({ label: 'Add a node', operations: edits.paste(1) });

describe('a draft', () => {
  it('is saved 400 ms after the last edit, in one request', async () => {
    const browser = new Browser();
    const store = await browser.open();
    const edits = new RandomEdits(1, 'A');
    store.perform(node(edits));
    await browser.pass(399);
    store.perform(node(edits));
    await browser.pass(399);
    expect(browser.sent).toEqual([]);
    expect(store.getSnapshot().save).toEqual({ kind: 'unsaved', count: 2 });
    await browser.pass(1);
    expect(browser.sent.length).toBe(1);
    expect(store.getSnapshot().save).toEqual({ kind: 'saved' });
    expect(browser.service.graph.nodes.length).toBe(2);
  });

  it('is saved at once when it is flushed', async () => {
    const browser = new Browser();
    const store = await browser.open();
    store.perform(node(new RandomEdits(1, 'A')));
    store.flush();
    expect(store.getSnapshot().save).toEqual({ kind: 'saving' });
    await browser.pass(0);
    expect(store.getSnapshot().save).toEqual({ kind: 'saved' });
  });

  it('is sent again with growing delays while the service does not answer, and is not saved twice', async () => {
    const browser = new Browser();
    const store = await browser.open();
    browser.lost = 'answers';
    store.perform(node(new RandomEdits(1, 'A')));
    await browser.pass(400);
    expect(store.getSnapshot().save).toEqual({ kind: 'offline', count: 1, retryAt: 1400 });
    await browser.pass(1000 + 2000 + 4000);
    expect(browser.sent.length).toBe(4);
    expect(new Set(browser.sent).size).toBe(1);
    browser.lost = 'nothing';
    store.retryNow();
    await browser.pass(0);
    expect(store.getSnapshot().save).toEqual({ kind: 'saved' });
    expect(browser.service.graph.version).toBe(2);
  });

  it('is sent again as it was after a login, because an earlier attempt may have been applied', async () => {
    const browser = new Browser();
    const store = await browser.open();
    browser.lost = 'answers';
    store.perform(node(new RandomEdits(1, 'A')));
    await browser.pass(400);
    browser.lost = 'session';
    await browser.pass(1000);
    expect(store.getSnapshot().save).toEqual({ kind: 'blocked', count: 1, message: 'Log in.' });
    browser.lost = 'nothing';
    store.retryNow();
    await browser.pass(0);
    expect(new Set(browser.sent).size).toBe(1);
    expect(store.getSnapshot().save).toEqual({ kind: 'saved' });
    expect(browser.service.graph.version).toBe(2);
  });

  it('keeps one undo entry for text that is typed without a pause, and sends it once', async () => {
    const browser = new Browser();
    const store = await browser.open();
    const edits = new RandomEdits(1, 'A');
    store.perform(node(edits));
    const [{ nodeId } = { nodeId: '' }] = store.getSnapshot().view.graph.nodes;
    const type = (text: string) => {
      const changes = { config: { extra_config: { text } } };
      store.perform({ label: 'Edit the text', operations: [{ op: 'update_node', nodeId, changes }], field: 'text' });
    };
    for (const text of ['H', 'He', 'Hel']) {
      type(text);
      await browser.pass(100);
    }
    await browser.pass(2000);
    type('Hello');
    expect(browser.sent.map(({ operations }) => operations.length)).toEqual([2]);
    const text = () => store.getSnapshot().view.graph.nodes[0]?.config.extra_config;
    store.undo();
    expect(text()).toMatchObject({ text: 'Hel' });
    store.undo();
    expect(text()).not.toMatchObject({ text: 'H' });
    expect(store.getSnapshot().undoLabel).toBe('Add a node');
  });
});

describe('a page that is killed at any moment and opened again', () => {
  it('has lost no edit, and no edit is applied twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const browser = new Browser();
        const random = new Random(seed);
        const edits = new RandomEdits(~seed, 'A');
        let store = await browser.open();
        for (let index = 0; index < 40; index += 1) {
          browser.lost = random.of(['nothing', 'nothing', 'requests', 'answers'] as const) ?? 'nothing';
          performed(store, edits, index === 10 ? 30 : 0);
          if (random.isOne(3)) store.flush();
          if (random.isOne(3)) await browser.pass(random.below(1500));
          if (!random.isOne(3)) continue;
          const before = content(store.getSnapshot().view.graph);
          browser.kill();
          await settled();
          browser.lost = 'nothing';
          store = await browser.open();
          expect(content(store.getSnapshot().view.graph)).toEqual(before);
        }
        browser.lost = 'nothing';
        store.retryNow();
        await browser.pass(2000);
        const { view, save, conflicts } = store.getSnapshot();
        expect(save).toEqual({ kind: 'saved' });
        expect(conflicts).toEqual([]);
        expect(timeless(view.graph)).toEqual(timeless(browser.service.graph));
        while (store.getSnapshot().undoLabel !== null) store.undo();
        expect(content(store.getSnapshot().view.graph)).toEqual({ nodes: {}, edges: [] });
      }),
      { numRuns },
    );
  });
});

/** A random edit, or a paste of many nodes; one that violates a rule changes nothing. */
function performed(store: DraftStore, edits: RandomEdits, pasted: number): void {
  const operations = pasted > 0 ? edits.paste(pasted) : edits.draw(store.getSnapshot().view);
  try {
    store.perform({ label: 'Edit', operations });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

import { Problem } from '@millrace/core/editing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Draft, newDraft, type RemoteChange } from './draft.ts';
import { ModelService, rules, timeless } from './model-service.testkit.ts';
import type { DraftOperation } from './operation.ts';
import { perform, redo, undo } from './performing.ts';
import { RandomEdits } from './random-edits.testkit.ts';
import { acknowledged, received, rejected, requested, stale } from './saving.ts';
import { answered, reopened, type StoredDraft, storedDraft } from './stored-draft.ts';

const numRuns = Number(import.meta.env.MILLRACE_DRAFT_RUNS ?? 6);
const editsEach = 200;

type Reply = (draft: Draft) => Draft;

/** A page with the editor: what it sent is answered later, and events arrive late. */
class Page {
  draft: Draft;
  isOnline = true;
  readonly edits: RandomEdits;
  readonly performed: DraftOperation[] = [];
  readonly #service: ModelService;
  readonly #events: (readonly RemoteChange[])[] = [];
  #reply: Reply | null = null;

  constructor(service: ModelService, edits: RandomEdits) {
    this.#service = service;
    this.edits = edits;
    this.draft = newDraft(service.graph);
    service.listen((changes) => this.#events.push(changes));
  }

  get isQuiet(): boolean {
    return this.draft.pending.length === 0 && this.#events.length === 0 && this.#reply === null;
  }

  edit(): void {
    const moment = { id: this.edits.id, at: 0 };
    const kind = this.edits.random.below(12);
    if (kind === 0) this.draft = undo(rules, this.draft, moment);
    else if (kind === 1) this.draft = redo(rules, this.draft, moment);
    else this.#perform(this.edits.draw(this.draft.view));
  }

  #perform(operations: readonly DraftOperation[]): void {
    try {
      this.draft = perform(rules, this.draft, { id: this.edits.id, label: 'Edit', operations, at: 0 });
      this.performed.push(...operations);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }

  /** Sends what is pending, receives an answer or receives events; any of them may happen at any time. */
  communicate(): void {
    if (!this.isOnline) return;
    const { random } = this.edits;
    if (random.isOne(2)) this.#receive();
    if (this.#reply !== null && random.isOne(2)) {
      this.draft = this.#reply(this.draft);
      this.#reply = null;
    } else if (this.#reply === null && random.isOne(2)) this.#send();
  }

  /** Opens the page again now and then: what was sent without an answer is sent again first. */
  reload(): void {
    if (!this.isOnline || !this.edits.random.isOne(40)) return;
    const stored: StoredDraft = JSON.parse(JSON.stringify(storedDraft(this.draft)));
    const outcome = stored.sending === null ? null : this.#service.apply(stored.sending.request);
    const answer = outcome?.kind === 'saved' ? outcome.answer : null;
    this.#events.length = 0;
    this.#reply = null;
    this.draft = reopened(rules, answered(rules, stored, answer), this.#service.graph);
  }

  #receive(): void {
    const [changes] = this.#events.splice(0, 1);
    if (changes !== undefined) this.draft = received(rules, this.draft, changes);
  }

  #send(): void {
    const next = requested(this.draft, this.edits.id);
    if (next === null) return;
    this.draft = next.draft;
    const outcome = this.#service.apply(next.sending.request);
    this.#reply = (draft) => {
      if (outcome.kind === 'saved') return acknowledged(rules, draft, outcome.answer);
      return outcome.kind === 'stale' ? stale(rules, draft, outcome.graph) : rejected(rules, draft, outcome);
    };
  }
}

/** What marks an edit: its label or its priority, which no other edit has. */
function marksOf(operations: readonly object[]): readonly string[] {
  return operations.flatMap((operation) => {
    const { node, edge, changes } = operation as { node?: Marked; edge?: Marked; changes?: Marked };
    const { label, priority } = node ?? edge ?? changes ?? {};
    return label === undefined && priority === undefined ? [] : [String(label ?? priority)];
  });
}

interface Marked {
  readonly label?: string;
  readonly priority?: number;
}

describe('two editors of one workflow', () => {
  it('have the same graph as the service in the end, and no edit is lost without a conflict that says so', () => {
    let applied = 0;
    let conflicts = 0;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const service = new ModelService();
        const pages = [new Page(service, new RandomEdits(seed, 'A')), new Page(service, new RandomEdits(~seed, 'B'))];
        const [first, second] = pages as [Page, Page];
        for (let index = 0; index < editsEach; index += 1) {
          second.isOnline = index < editsEach / 3 || index > editsEach / 2;
          for (const page of pages) {
            page.edit();
            page.communicate();
            page.reload();
          }
        }
        while (!(first.isQuiet && second.isQuiet)) for (const page of pages) page.communicate();
        const stored = timeless(service.graph);
        const marks = new Set(marksOf(service.applied));
        for (const { draft, performed } of pages) {
          expect(timeless(draft.view.graph)).toEqual(stored);
          const reported = new Set(marksOf(draft.conflicts.flatMap(({ operations }) => operations)));
          const missing = marksOf(performed).filter((mark) => !marks.has(mark) && !reported.has(mark));
          expect(missing).toEqual([]);
          conflicts += reported.size;
        }
        applied += service.applied.length;
      }),
      { numRuns },
    );
    expect(conflicts).toBeGreaterThan(0);
    expect(conflicts).toBeLessThan(applied / 10);
  });
});

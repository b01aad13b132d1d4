import { Problem } from '@millrace/core/editing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Draft, newDraft } from './draft.ts';
import { content, ModelService, rules, timeless } from './model-service.testkit.ts';
import { perform, redo, undo } from './performing.ts';
import { RandomEdits } from './random-edits.testkit.ts';
import { acknowledged, requested } from './saving.ts';

const numRuns = Number(import.meta.env.MILLRACE_DRAFT_RUNS ?? 12);
const gestures = 60;

/** The draft after an edit; an edit that violates a rule changes nothing. */
function edited(draft: Draft, edits: RandomEdits, index: number): Draft {
  const operations = index === 20 ? edits.paste(30) : edits.draw(draft.view);
  try {
    return perform(rules, draft, { id: edits.id, label: 'Edit', operations, at: 0 });
  } catch (error) {
    if (error instanceof Problem) return draft;
    throw error;
  }
}

/** Saves all pending gestures. */
function saved(draft: Draft, service: ModelService, edits: RandomEdits): Draft {
  let state = draft;
  for (;;) {
    const next = requested(state, edits.id);
    if (next === null) return state;
    const outcome = service.apply(next.sending.request);
    if (outcome.kind !== 'saved') throw new Error(`the service answered ${JSON.stringify(outcome)}`);
    state = acknowledged(rules, next.draft, outcome.answer);
    expect(timeless(state.base)).toEqual(timeless(service.graph));
  }
}

function repeated(draft: Draft, step: (draft: Draft) => Draft, isDone: (draft: Draft) => boolean): Draft {
  let state = draft;
  while (!isDone(state)) state = step(state);
  return state;
}

describe('60 random edits', () => {
  it('are all undone and all done again, with saves in between', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const service = new ModelService();
        const edits = new RandomEdits(seed, 'A');
        const maybeSaved = (draft: Draft) => (edits.random.isOne(5) ? saved(draft, service, edits) : draft);
        let draft = newDraft(service.graph);
        for (let index = 0; index < gestures; index += 1) draft = maybeSaved(edited(draft, edits, index));
        const last = content(draft.view.graph);
        for (let round = 0; round < 2; round += 1) {
          const back = (state: Draft) => maybeSaved(undo(rules, state, { id: edits.id, at: 0 }));
          draft = repeated(draft, back, (state) => state.undo.length === 0);
          expect(content(draft.view.graph)).toEqual({ nodes: {}, edges: [] });
          const again = (state: Draft) => maybeSaved(redo(rules, state, { id: edits.id, at: 0 }));
          draft = repeated(draft, again, (state) => state.redo.length === 0);
          expect(content(draft.view.graph)).toEqual(last);
        }
        draft = saved(draft, service, edits);
        expect(content(service.graph)).toEqual(last);
        expect(draft.conflicts).toEqual([]);
      }),
      { numRuns },
    );
  });
});

import { expect, test } from 'vitest';
import { FieldDrafts, type NodeDrafts } from '../../state/fields/field-drafts.ts';
import { FormEdits } from './form-edits.ts';

function newDrafts(): NodeDrafts {
  return new FieldDrafts().of({ id: 1, node_id: 'a', component_type: 'template' });
}

function setUp(drafts = newDrafts(), contested: readonly string[] = []) {
  const stored: Record<string, unknown>[] = [];
  let timers: (() => void)[] = [];
  const edits = new FormEdits({
    after: (_ms, run) => {
      timers.push(run);
      return () => {
        timers = timers.filter((timer) => timer !== run);
      };
    },
    store: (changed) => {
      stored.push(Object.fromEntries(changed));
      return contested;
    },
    drafts,
  });
  const pause = (): void => {
    for (const run of timers.splice(0)) run();
  };
  return { edits, stored, pause };
}

test('typing stores once after a pause, with the last text', () => {
  const { edits, stored, pause } = setUp();
  edits.set('url', 'h');
  edits.set('url', 'ht');
  expect(stored).toEqual([]);
  pause();
  expect(stored).toEqual([{ url: 'ht' }]);
  pause();
  expect(stored).toHaveLength(1);
});

test('leaving the form stores at once what waits, and only edited fields', () => {
  const { edits, stored, pause } = setUp();
  edits.set('url', 'http://a');
  edits.set('method', undefined);
  edits.flush();
  expect(stored).toEqual([{ url: 'http://a', method: undefined }]);
  edits.flush();
  pause();
  expect(stored).toHaveLength(1);
});

test('an edit stays visible until the stored config contains it, also while others are typed', () => {
  const { edits } = setUp();
  edits.set('url', 'http://a');
  edits.flush();
  edits.set('body', 'x');
  expect(Object.fromEntries(edits.getShown())).toEqual({ url: 'http://a', body: 'x' });
  edits.stored();
  expect(Object.fromEntries(edits.getShown())).toEqual({ body: 'x' });
});

test('a field shows what is stored while a person has to decide about the edit', () => {
  const { edits } = setUp(newDrafts(), ['url']);
  edits.set('url', 'mine');
  edits.set('body', 'x');
  edits.flush();
  expect(Object.fromEntries(edits.getShown())).toEqual({ body: 'x' });
});

test('an edit that cannot be stored stays in the form, also after another node was selected', () => {
  const drafts = newDrafts();
  const { edits, stored } = setUp(drafts);
  edits.set('url', '{{ a.b }}');
  edits.set('url', '{{ a. }}', 'Expected a name.');
  edits.flush();
  expect(stored).toEqual([]);
  const later = setUp(drafts);
  expect(Object.fromEntries(later.edits.getShown())).toEqual({ url: '{{ a. }}' });
  expect(later.edits.heldBecause('url')).toBe('Expected a name.');
  later.edits.set('url', '{{ a.c }}');
  later.edits.flush();
  expect(later.stored).toEqual([{ url: '{{ a.c }}' }]);
  expect(later.edits.heldBecause('url')).toBeUndefined();
});

test('what was typed is not stored any more when the field has its stored value again', () => {
  const { edits, stored, pause } = setUp();
  edits.set('body', {});
  edits.withdraw('body');
  pause();
  edits.flush();
  expect(stored).toEqual([]);
  expect(edits.getShown().size).toBe(0);
});

test('the drafts say whether edits wait', () => {
  const drafts = newDrafts();
  const { edits, pause } = setUp(drafts);
  edits.set('body', 'x');
  expect(drafts.isWaiting).toBe(true);
  pause();
  expect(drafts.isWaiting).toBe(false);
});

import { expect, test } from 'vitest';
import { FormEdits, type HeldEdit } from './form-edits.ts';

function setUp(held = new Map<string, HeldEdit>()) {
  const stored: Record<string, unknown>[] = [];
  let timers: (() => void)[] = [];
  const edits = new FormEdits({
    after: (_ms, run) => {
      timers.push(run);
      return () => {
        timers = timers.filter((timer) => timer !== run);
      };
    },
    store: (changed) => stored.push(Object.fromEntries(changed)),
    onChange: () => {},
    held,
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
  expect(Object.fromEntries(edits.shown)).toEqual({ url: 'http://a', body: 'x' });
  edits.stored();
  expect(Object.fromEntries(edits.shown)).toEqual({ body: 'x' });
});

test('an edit that cannot be stored stays in the form, also after another node was selected', () => {
  const held = new Map<string, HeldEdit>();
  const { edits, stored } = setUp(held);
  edits.set('url', '{{ a.b }}');
  edits.set('url', '{{ a. }}', 'Expected a name.');
  edits.flush();
  expect(stored).toEqual([]);
  const later = setUp(held);
  expect(Object.fromEntries(later.edits.shown)).toEqual({ url: '{{ a. }}' });
  expect(later.edits.heldBecause('url')).toBe('Expected a name.');
  later.edits.set('url', '{{ a.c }}');
  later.edits.flush();
  expect(later.stored).toEqual([{ url: '{{ a.c }}' }]);
  expect(later.edits.heldBecause('url')).toBeUndefined();
});

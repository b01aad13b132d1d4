import { expect, it } from 'vitest';
import { summaryOf } from './version-summary.ts';

const none = { created: 0, updated: 0, deleted: 0 };

it('counts what a version changed', () => {
  const nodes = { created: 2, updated: 1, deleted: 0 };
  const edges = { created: 0, updated: 0, deleted: 1 };
  expect(summaryOf({ nodes, edges, restored_from: null })).toBe('+2 nodes, 1 node changed, −1 connection');
});

it('names the version that was restored, and a version without changes', () => {
  expect(summaryOf({ nodes: none, edges: none, restored_from: 3 })).toBe('Restored version 3');
  expect(summaryOf({ nodes: none, edges: none, restored_from: null })).toBe('No changes');
});

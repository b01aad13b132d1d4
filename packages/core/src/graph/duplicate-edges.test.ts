import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { appendEdges, hasDuplicate } from './duplicate-edges.ts';
import type { Edge } from './graph.ts';

const names = fc.constantFrom('a', 'b', 'ab');
const drafts = fc.record({
  sourceNodeId: names,
  targetNodeId: names,
  edgeType: fc.constantFrom('direct' as const, 'conditional' as const),
  edgeLabel: fc.constantFrom('' as const, 'error' as const),
  conditionValue: fc.constantFrom('', 'a'),
  conditionMapping: fc.constant(null),
  priority: fc.nat(3),
});

/** The definition: another edge has the same identity. */
function hasPlainDuplicate(edges: readonly Edge[], edge: Omit<Edge, 'id'>, id?: number): boolean {
  const identity = (one: Omit<Edge, 'id'>) =>
    JSON.stringify([one.sourceNodeId, one.targetNodeId, one.edgeType, one.edgeLabel, one.conditionValue]);
  return edges.some((other) => other.id !== id && identity(other) === identity(edge));
}

describe('duplicate edges', () => {
  test('are the same as in a full scan, also after the new name of a node has made edges alike', () => {
    fc.assert(
      fc.property(fc.array(drafts, { maxLength: 40 }), drafts, (coming, asked) => {
        let edges: readonly Edge[] = [];
        for (const [index, draft] of coming.entries()) {
          const before = edges;
          const isDuplicate = hasDuplicate(edges, draft, undefined);
          expect(isDuplicate).toBe(hasPlainDuplicate(edges, draft));
          if (!isDuplicate || draft.priority === 0) edges = appendEdges(edges, [{ ...draft, id: index + 1 }]);
          expect(hasDuplicate(edges, asked, undefined)).toBe(hasPlainDuplicate(edges, asked));
          expect(hasDuplicate(before, asked, undefined)).toBe(hasPlainDuplicate(before, asked));
          for (const { id } of edges) expect(hasDuplicate(edges, asked, id)).toBe(hasPlainDuplicate(edges, asked, id));
        }
      }),
    );
  });
});

import { useRef } from 'react';

/** Values by path, for each node that has any. */
export type KeptByNode<V> = Map<number, Map<string, V>>;

/**
 * What is kept of a node's form when another node is selected. A node that was added a moment ago gets another id when
 * it is saved: what is kept follows it.
 */
export function useKept<V>(all: KeptByNode<V>, nodeId: number): Map<string, V> {
  const own = useRef<{ readonly nodeId: number; readonly values: Map<string, V> } | null>(null);
  if (own.current?.nodeId === nodeId) return own.current.values;
  const values = own.current?.values ?? all.get(nodeId) ?? new Map<string, V>();
  if (own.current !== null) all.delete(own.current.nodeId);
  all.set(nodeId, values);
  own.current = { nodeId, values };
  return values;
}

import { createContext, useContext } from 'react';

/** The number of problems of each node that has any. */
export const ProblemCountsContext = createContext<ReadonlyMap<string, number>>(new Map());

/** The number of problems of a node. */
export function useProblemCount(nodeId: string): number {
  return useContext(ProblemCountsContext).get(nodeId) ?? 0;
}

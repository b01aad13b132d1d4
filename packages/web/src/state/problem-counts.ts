import { createContext, useContext } from 'react';

/** The number of problems of a node, and whether one of them is an error. */
export interface ProblemCount {
  readonly count: number;
  readonly isError: boolean;
}

const none: ProblemCount = { count: 0, isError: false };

/** The number of problems of each node that has any. */
export const ProblemCountsContext = createContext<ReadonlyMap<string, ProblemCount>>(new Map());

/** The number of problems of a node. */
export function useProblemCount(nodeId: string): ProblemCount {
  return useContext(ProblemCountsContext).get(nodeId) ?? none;
}

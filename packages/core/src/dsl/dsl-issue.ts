import type { GraphIssue } from '../validation/graph-issue.ts';

/** Something wrong in a text, and where: both numbers count from 1. */
export interface DslIssue extends GraphIssue {
  readonly line: number;
  readonly column: number;
}

import type { GraphIssue } from '../validation/graph-issue.ts';

/** An issue in a text, with its position; both numbers count from 1. */
export interface DslIssue extends GraphIssue {
  readonly line: number;
  readonly column: number;
}

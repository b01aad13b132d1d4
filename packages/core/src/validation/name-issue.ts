import type { GraphIssue } from './graph-issue.ts';

/** What is wrong with a name in an expression. */
export interface NameIssue extends Pick<GraphIssue, 'code' | 'severity'> {
  readonly reason: string;
  readonly offset: number;
  /** What follows the place in the message: the nearest name that exists. */
  readonly hint: string;
  /** The hint of the issue. */
  readonly remedy?: string;
}

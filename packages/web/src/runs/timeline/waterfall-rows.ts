import type { IterationNode, StepNode } from './step-tree.ts';

/** A visible row of the waterfall. */
export interface WaterfallRow {
  readonly key: string;
  readonly depth: number;
  readonly node: StepNode | IterationNode;
  readonly canOpen: boolean;
  readonly isOpen: boolean;
}

/** Which steps the waterfall shows. */
export interface StepFilter {
  /** A text in the name of the node; empty for all. */
  readonly text: string;
  readonly isOnlyFailed: boolean;
}

/** A loop with at most this many iterations starts open. */
const openIterations = 5;

/**
 * The rows of the open parts of the tree. `toggled` has the keys of the rows that a person opened although they start
 * closed, and the reverse. With a filter, the rows are the steps that it lets through, and those above them.
 */
export function waterfallRows(
  steps: readonly StepNode[],
  toggled: ReadonlySet<string>,
  filter: StepFilter,
): readonly WaterfallRow[] {
  const rows: WaterfallRow[] = [];
  const isFiltered = filter.text.trim() !== '' || filter.isOnlyFailed;
  const startsOpen = (node: StepNode | IterationNode): boolean => isFiltered || isOpenAtFirst(node);
  const visit = (node: StepNode | IterationNode, depth: number): void => {
    if (isFiltered && !passes(node, filter)) return;
    const children = childrenOf(node);
    const canOpen = children.length > 0;
    const isOpen = canOpen && startsOpen(node) !== toggled.has(node.key);
    rows.push({ key: node.key, depth, node, canOpen, isOpen });
    if (isOpen) for (const child of children) visit(child, depth + 1);
  };
  for (const step of steps) visit(step, 0);
  return rows;
}

function childrenOf(node: StepNode | IterationNode): readonly (StepNode | IterationNode)[] {
  return node.kind === 'step' ? node.iterations : node.steps;
}

function isOpenAtFirst(node: StepNode | IterationNode): boolean {
  if (hasFailedInside(node)) return true;
  return node.kind === 'step' && node.iterations.length <= openIterations;
}

/** Whether the last attempt of a step inside failed. */
function hasFailedInside(node: StepNode | IterationNode): boolean {
  return childrenOf(node).some((child) => (child.kind === 'step' && hasFailed(child)) || hasFailedInside(child));
}

/** Whether the last attempt of a step failed. */
function hasFailed({ attempts }: StepNode): boolean {
  return attempts.at(-1)?.status === 'failed';
}

function passes(node: StepNode | IterationNode, filter: StepFilter): boolean {
  const isHit =
    node.kind === 'step' &&
    node.nodeId.toLowerCase().includes(filter.text.trim().toLowerCase()) &&
    (!filter.isOnlyFailed || node.attempts.some(({ status }) => status === 'failed'));
  return isHit || childrenOf(node).some((child) => passes(child, filter));
}

/** The keys of the rows around a step that start closed: toggling them shows it. */
export function closedAround(steps: readonly StepNode[], key: string): readonly string[] {
  const find = (node: StepNode | IterationNode): readonly string[] | null => {
    if (node.key === key) return [];
    for (const child of childrenOf(node)) {
      const inside = find(child);
      if (inside === null) continue;
      return isOpenAtFirst(node) ? inside : [node.key, ...inside];
    }
    return null;
  };
  for (const step of steps) {
    const found = find(step);
    if (found !== null) return found;
  }
  return [];
}

import { searchText } from '@millrace/core/search-text';
import type { WorkflowActivity } from '../api/activity/workflow-activity.ts';
import type { Workflow } from '../api/workflows.ts';
import type { SortKey, StateFilter, WorkflowsSearch } from './list-search.ts';

/** A workflow of the list; its activity is read separately and later. */
export interface WorkflowRow {
  readonly workflow: Workflow;
  readonly activity: WorkflowActivity | null;
}

/** The workflows with their activities. */
export function rowsOf(
  workflows: readonly Workflow[],
  activities: readonly WorkflowActivity[],
): readonly WorkflowRow[] {
  const byId = new Map(activities.map((activity) => [activity.workflow_id, activity]));
  return workflows.map((workflow) => ({ workflow, activity: byId.get(workflow.id) ?? null }));
}

/** The rows that pass all filters, in the order of the search. */
export function shownRows(rows: readonly WorkflowRow[], search: WorkflowsSearch): readonly WorkflowRow[] {
  const { sort = 'changed', reverse = false } = search;
  const shown = rows.filter((row) => passes(row, search)).sort((a, b) => orders[sort](a, b));
  return reverse ? shown.reverse() : shown;
}

function passes({ workflow, activity }: WorkflowRow, { q = '', tags = [], state }: WorkflowsSearch): boolean {
  const wanted = searchText(q.trim());
  const own = workflow.tags ?? [];
  if (!tags.every((tag) => own.includes(tag))) return false;
  if (state !== undefined && !isIn[state]({ workflow, activity })) return false;
  return [workflow.name, workflow.slug, ...own].some((text) => searchText(text).includes(wanted));
}

const isIn: Readonly<Record<StateFilter, (row: WorkflowRow) => boolean>> = {
  failing: ({ activity }) => activity?.last_execution?.status === 'failed',
  unpublished: ({ workflow }) => workflow.published_version !== null && workflow.has_unpublished_changes,
  inactive: ({ workflow }) => !workflow.is_active,
};

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Names ascend; of times, the last comes first. */
const orders: Readonly<Record<SortKey, (a: WorkflowRow, b: WorkflowRow) => number>> = {
  name: (a, b) => names.compare(a.workflow.name, b.workflow.name),
  run: (a, b) => later(lastRun(a), lastRun(b)),
  changed: (a, b) => later(a.workflow.updated_at, b.workflow.updated_at),
};

const lastRun = ({ activity }: WorkflowRow): string => activity?.last_execution?.accepted_at ?? '';

/** Timestamps of the service have the order of their texts. */
function later(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? 1 : -1;
}

/** How many workflows each state filter would show. */
export function stateCounts(rows: readonly WorkflowRow[]): Readonly<Record<StateFilter, number>> {
  const count = (state: StateFilter) => rows.filter(isIn[state]).length;
  return { failing: count('failing'), unpublished: count('unpublished'), inactive: count('inactive') };
}

/** The tags of the workflows with the number of their workflows, the most frequent first. */
export function tagCounts(rows: readonly WorkflowRow[]): readonly (readonly [tag: string, n: number])[] {
  const counts = new Map<string, number>();
  for (const tag of rows.flatMap(({ workflow }) => workflow.tags ?? [])) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].sort(([a, n], [b, m]) => m - n || names.compare(a, b));
}

const hourMs = 3_600_000;

/** How many executions ended in one hour of the last 24. */
export interface HourBar {
  readonly succeeded: number;
  readonly failed: number;
}

/** The last 24 hours, oldest first. Cancelled executions are neither successes nor failures. */
export function hourBars({ hours }: Pick<WorkflowActivity, 'hours'>, now: number): readonly HourBar[] {
  const current = Math.floor(now / hourMs);
  const byHour = new Map(hours.map((hour) => [Math.floor(Date.parse(`${hour.starts_at}Z`) / hourMs), hour]));
  return Array.from({ length: 24 }, (_, index) => {
    const hour = byHour.get(current - 23 + index);
    return { succeeded: hour?.completed ?? 0, failed: hour?.failed ?? 0 };
  });
}

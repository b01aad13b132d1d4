import { Link } from '@tanstack/react-router';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { lazy, type ReactNode } from 'react';
import type { Workflow } from '../api/workflows.ts';
import { classes } from '../ui/classes.ts';
import { MenuButton } from '../ui/menu-button.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { ExecutionStatusText } from '../ui/status.tsx';
import { ActivityStrip } from './activity-strip.tsx';
import type { WorkflowRow } from './list-rows.ts';
import type { SortKey, WorkflowsSearch } from './list-search.ts';
import type { RowAction } from './row-menu.tsx';
import { rowMenuTrigger } from './row-menu-trigger.tsx';
import { TriggerIcons } from './trigger-icons.tsx';

const loadMenu = () => import('./row-menu.tsx');
const RowMenu = lazy(() => loadMenu().then(({ RowMenu: component }) => ({ default: component })));

const cell = 'px-3 py-2.5 align-middle';

interface WorkflowTableProps {
  readonly rows: readonly WorkflowRow[];
  readonly search: WorkflowsSearch;
  readonly onSort: (sort: SortKey, reverse: boolean) => void;
  /** Slugs. */
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (slugs: readonly string[], isSelected: boolean) => void;
  readonly onAction: (row: WorkflowRow, action: RowAction) => void;
}

/** The workflows. Columns have fixed widths, so that none moves when a value arrives. */
export function WorkflowTable({ rows, search, onSort, selected, onSelect, onAction }: WorkflowTableProps) {
  const slugs = rows.map(({ workflow }) => workflow.slug);
  const chosen = slugs.filter((slug) => selected.has(slug)).length;
  const heading = { search, onSort };
  return (
    <div className="overflow-hidden rounded-card border border-line bg-surface">
      <table className="w-full table-fixed border-collapse text-left">
        <thead className="border-line border-b text-[12px] text-muted">
          <tr>
            <th className="w-11 py-2 pl-3 max-sm:hidden">
              <SelectBox
                label="Select all workflows on this page"
                isChecked={chosen > 0 && chosen === slugs.length}
                isMixed={chosen > 0 && chosen < slugs.length}
                onChange={(isSelected) => onSelect(slugs, isSelected)}
              />
            </th>
            <SortHeading {...heading} sort="name" className="max-sm:pl-2">
              Name
            </SortHeading>
            <th className={`${cell} w-44 font-medium max-lg:hidden`}>State</th>
            <th className={`${cell} w-28 font-medium max-lg:hidden`}>Triggers</th>
            <SortHeading {...heading} sort="run" className="w-44 max-sm:w-32">
              Last run
            </SortHeading>
            <th className={`${cell} w-44 font-medium max-xl:hidden`}>Last 24 hours</th>
            <SortHeading {...heading} sort="changed" className="w-32 max-md:hidden">
              Changed
            </SortHeading>
            <th className="w-12">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row
              key={row.workflow.id}
              row={row}
              isSelected={selected.has(row.workflow.slug)}
              onSelect={(isSelected) => onSelect([row.workflow.slug], isSelected)}
              onAction={(action) => onAction(row, action)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface SortHeadingProps {
  readonly sort: SortKey;
  readonly search: WorkflowsSearch;
  readonly onSort: (sort: SortKey, reverse: boolean) => void;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A heading that orders the list by its column; pressed again, in the opposite order. */
function SortHeading({ sort, search, onSort, className, children }: SortHeadingProps) {
  const isSorted = (search.sort ?? 'changed') === sort;
  const isReversed = search.reverse === true;
  // Names ascend; of times, the last comes first.
  const isAscending = (sort === 'name') !== isReversed;
  const Arrow = isAscending ? ArrowUp : ArrowDown;
  return (
    <th
      aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : undefined}
      className={classes('px-1 py-2 font-medium', className)}
    >
      <button
        type="button"
        onClick={() => onSort(sort, isSorted && !isReversed)}
        className="inline-flex h-7 items-center gap-1 rounded-control px-2 hover:bg-hover hover:text-ink"
      >
        {children}
        {isSorted && <Arrow size={13} aria-hidden="true" />}
      </button>
    </th>
  );
}

interface SelectBoxProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly isMixed?: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

function SelectBox({ label, isChecked, isMixed = false, onChange }: SelectBoxProps) {
  return (
    // The label makes the target larger than the box.
    <label className="inline-flex size-6 items-center justify-center">
      <span className="sr-only">{label}</span>
      <input
        type="checkbox"
        className="size-4 accent-accent"
        checked={isChecked}
        ref={(box) => {
          if (box !== null) box.indeterminate = isMixed;
        }}
        onChange={({ target }) => onChange(target.checked)}
      />
    </label>
  );
}

interface RowProps {
  readonly row: WorkflowRow;
  readonly isSelected: boolean;
  readonly onSelect: (isSelected: boolean) => void;
  readonly onAction: (action: RowAction) => void;
}

function Row({ row, isSelected, onSelect, onAction }: RowProps) {
  const { workflow, activity } = row;
  const nextFireAt = activity?.next_fire_at ?? null;
  return (
    <tr className={classes('border-line not-last:border-b', isSelected ? 'bg-accent-soft' : 'hover:bg-hover')}>
      <td className="pl-3 max-sm:hidden">
        <SelectBox label={`Select ${workflow.name}`} isChecked={isSelected} onChange={onSelect} />
      </td>
      <td className={`${cell} max-sm:pl-4`}>
        <WorkflowName workflow={workflow} />
      </td>
      <td className={`${cell} max-lg:hidden`}>
        <PublicationState workflow={workflow} />
      </td>
      <td className={`${cell} max-lg:hidden`}>
        {activity !== null && <TriggerIcons types={activity.trigger_types} />}
        {nextFireAt !== null && (
          <div className="mt-0.5 whitespace-nowrap text-[12px] text-muted" title="The next scheduled run">
            <RelativeTime at={nextFireAt} />
          </div>
        )}
      </td>
      <td className={cell}>
        <LastRun activity={activity} />
      </td>
      <td className={`${cell} max-xl:hidden`}>{activity !== null && <ActivityStrip activity={activity} />}</td>
      <td className={`${cell} whitespace-nowrap text-[13px] text-muted max-md:hidden`}>
        <RelativeTime at={workflow.updated_at} />
      </td>
      <td className="pr-2">
        <MenuButton
          {...rowMenuTrigger(workflow.name)}
          load={loadMenu}
          menu={() => <RowMenu row={row} onAction={onAction} />}
        />
      </td>
    </tr>
  );
}

function WorkflowName({ workflow: { name, slug, tags } }: { readonly workflow: Workflow }) {
  return (
    <>
      <Link to="/w/$slug" params={{ slug }} className="inline-block min-h-6 break-words font-medium hover:underline">
        {name}
      </Link>
      <div className="flex flex-wrap gap-x-2 gap-y-1 text-[12px] text-muted">
        <span className="min-w-0 truncate font-mono">{slug}</span>
        {(tags ?? []).map((tag) => (
          <span key={tag} className="max-w-40 truncate rounded-full border border-line px-1.5">
            {tag}
          </span>
        ))}
      </div>
    </>
  );
}

function LastRun({ activity }: { readonly activity: WorkflowRow['activity'] }) {
  const last = activity?.last_execution ?? null;
  if (last === null) return <span className="text-[13px] text-muted">{activity !== null && 'Never'}</span>;
  return (
    <Link to="/runs/$id" params={{ id: last.execution_id }} className="inline-block hover:underline">
      <ExecutionStatusText status={last.status} />
      <div className="whitespace-nowrap text-[12px] text-muted">
        <RelativeTime at={last.accepted_at} />
      </div>
    </Link>
  );
}

/** Whether triggers start the workflow, and which version they run. */
function PublicationState({ workflow }: { readonly workflow: Workflow }) {
  if (!workflow.is_active) return <State glyph="○" text="Inactive" />;
  if (workflow.published_version === null) return <State glyph="●" text="Live" />;
  if (workflow.has_unpublished_changes) return <State glyph="◐" text="Unpublished changes" />;
  return <State glyph="●" text="Published" />;
}

function State({ glyph, text }: { readonly glyph: string; readonly text: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-[13px]">
      <span className="text-muted" aria-hidden="true">
        {glyph}
      </span>
      {text}
    </span>
  );
}

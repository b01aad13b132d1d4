import { ChevronRight, CornerDownRight, Pin, Repeat, Workflow } from 'lucide-react';
import { memo } from 'react';
import type { ExecutionLog } from '../../api/executions.ts';
import { classes } from '../../ui/classes.ts';
import { StepStatusGlyph } from '../../ui/status.tsx';
import { durationText } from '../../ui/time.ts';
import type { IterationNode, StepNode } from './step-tree.ts';
import { durationWidth, namesWidth } from './time-axis.tsx';
import type { TimeScale } from './time-scale.ts';
import { allSegments, type Clock, type Segment, type SegmentKind, segmentsOf, spanOf } from './timeline.ts';
import type { WaterfallRow } from './waterfall-rows.ts';

/** The key of the row of the whole run. */
export const runKey = '@run';

const rowHeight = 34;

interface WaterfallRowViewProps {
  readonly id: string;
  /** Null for the whole run. */
  readonly row: WaterfallRow | null;
  /** Without it, the row is in the flow of the page. */
  readonly top?: number;
  readonly scale: TimeScale;
  readonly clock: Clock;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
  readonly onToggle?: () => void;
}

/** A row of the waterfall: a step, an iteration, or the whole run. */
export const WaterfallRowView = memo(function WaterfallRowView(props: WaterfallRowViewProps) {
  const { id, row, top, scale, clock, isSelected, onSelect, onToggle } = props;
  const segments = rowSegments(row, clock);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of its rows.
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      aria-level={(row?.depth ?? 0) + 1}
      aria-selected={isSelected}
      {...(row?.canOpen && { 'aria-expanded': row.isOpen })}
      onClick={onSelect}
      className={classes(
        'flex w-full cursor-default items-center border-line border-b px-3 hover:bg-hover',
        top !== undefined && 'absolute left-0',
        isSelected && 'bg-accent-soft hover:bg-accent-soft',
      )}
      style={{ height: rowHeight, ...(top !== undefined && { top }) }}
    >
      <RowName row={row} onToggle={onToggle} />
      <BarLine segments={segments} scale={scale} isRun={row === null} />
      <span className={`${durationWidth} shrink-0 whitespace-nowrap text-right text-[12px] text-muted tabular-nums`}>
        {durationOf(segments, clock, row)}
      </span>
    </div>
  );
});

function rowSegments(row: WaterfallRow | null, clock: Clock): readonly Segment[] {
  if (row === null) return [{ kind: 'pause', from: 0, to: clock.end - clock.start }];
  const { node } = row;
  if (node.kind === 'iteration') return [spanOf(node, clock)];
  const own = segmentsOf(node, clock);
  if (own.length > 0 || node.iterations.length === 0) return own;
  // A loop in progress has no log entry yet: its bar is the time of its iterations.
  const inside = allSegments(node, clock);
  const from = inside.reduce((least, segment) => Math.min(least, segment.from), Number.POSITIVE_INFINITY);
  return [{ kind: 'running', from, to: clock.end - clock.start }];
}

function durationOf(segments: readonly Segment[], clock: Clock, row: WaterfallRow | null): string {
  if (row === null) return durationText(clock.end - clock.start);
  if (segments.every(({ kind }) => kind === 'skipped')) return '–';
  const own =
    row.node.kind === 'step' && row.node.attempts.length === 1 && row.node.iterations.length === 0
      ? row.node.attempts[0]
      : undefined;
  // The service measures an attempt more exactly than its rounded timestamps.
  if (own !== undefined && segments.every(({ kind }) => kind !== 'waiting')) return durationText(own.duration_ms);
  const timed = segments.filter(({ kind }) => kind !== 'queued');
  const from = timed[0]?.from ?? 0;
  return durationText((timed.at(-1)?.to ?? from) - from);
}

interface RowNameProps {
  readonly row: WaterfallRow | null;
  readonly onToggle: (() => void) | undefined;
}

function RowName({ row, onToggle }: RowNameProps) {
  const depth = row === null ? 0 : row.depth;
  return (
    <span className={classes('flex min-w-0 shrink-0 items-center gap-1.5 pr-2 text-[13px]', namesWidth)}>
      <span className="shrink-0" style={{ width: depth * 14 }} />
      {row?.canOpen ? (
        <button
          type="button"
          tabIndex={-1}
          aria-label={row.isOpen ? 'Close' : 'Open'}
          onClick={(event) => {
            event.stopPropagation();
            onToggle?.();
          }}
          className="-ml-1 flex size-6 shrink-0 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-ink"
        >
          <ChevronRight size={14} className={classes(row.isOpen && 'rotate-90')} aria-hidden="true" />
        </button>
      ) : (
        <span className="w-5 shrink-0" />
      )}
      {row === null ? <RunName /> : <NodeName node={row.node} />}
    </span>
  );
}

function RunName() {
  return (
    <>
      <Workflow size={15} className="shrink-0 text-muted" aria-hidden="true" />
      <span className="truncate font-medium">Run</span>
    </>
  );
}

function NodeName({ node }: { readonly node: StepNode | IterationNode }) {
  if (node.kind === 'iteration') return <IterationName node={node} />;
  const last = node.attempts.at(-1);
  const attempts = node.attempts.length + (node.running === null ? 0 : 1);
  return (
    <>
      <StepStatusGlyph status={statusOf(node, last)} />
      <span className="min-w-0 truncate" title={node.nodeId}>
        {node.nodeId}
      </span>
      {last?.metadata.pinned === true && (
        <span title="Pinned output" className="shrink-0">
          <Pin size={12} className="text-warning" aria-hidden="true" />
          <span className="sr-only">pinned output</span>
        </span>
      )}
      {node.iterations.length > 0 && <Count text={`${node.iterations.length} ×`} />}
      {attempts > 1 && <Count text={`${attempts} attempts`} />}
    </>
  );
}

/** An iteration of a loop, or a call of an agent. */
function IterationName({ node }: { readonly node: IterationNode }) {
  const [call] = node.steps;
  const isCall = call?.attempts.some(({ metadata }) => metadata.agent !== undefined) === true;
  const Icon = isCall ? CornerDownRight : Repeat;
  return (
    <>
      <Icon size={14} className="shrink-0 text-muted" aria-hidden="true" />
      <span className="truncate text-muted">
        {isCall ? `Call ${node.index + 1}: ${call?.nodeId}` : `Iteration ${node.index + 1}`}
      </span>
    </>
  );
}

function Count({ text }: { readonly text: string }) {
  return <span className="shrink-0 text-[11px] text-muted tabular-nums">{text}</span>;
}

function statusOf(node: StepNode, last: ExecutionLog | undefined): ExecutionLog['status'] | 'running' | 'retrying' {
  if (node.running !== null) return node.attempts.length > 0 ? 'retrying' : 'running';
  return last?.status ?? 'running';
}

const looks: Readonly<Record<SegmentKind, string>> = {
  queued: 'queued top-2 bottom-2 rounded-sm',
  running: 'running top-1.5 bottom-1.5 rounded-sm',
  success: 'top-1.5 bottom-1.5 rounded-sm bg-success',
  failed: 'top-1.5 bottom-1.5 rounded-sm bg-danger',
  skipped: 'top-1.5 bottom-1.5 rounded-sm bg-line-strong',
  waiting: 'waiting top-2 bottom-2 rounded-sm',
  pause: 'top-1/2 h-px bg-line-strong',
};

interface BarLineProps {
  readonly segments: readonly Segment[];
  readonly scale: TimeScale;
  readonly isRun: boolean;
}

function BarLine({ segments, scale, isRun }: BarLineProps) {
  const percent = (share: number): string => `${share * 100}%`;
  return (
    <span className="relative h-full min-w-0 flex-1" aria-hidden="true">
      {scale.gaps.map(({ from, at, width }) => (
        <span
          key={`gap ${from}`}
          className="absolute inset-y-0 bg-hover"
          style={{ left: percent(at), width: percent(width) }}
        />
      ))}
      {segments.map(({ kind, from, to }) => (
        <span
          key={`${kind} ${from}`}
          title={isRun ? durationText(to - from) : `${segmentNames[kind]}: ${durationText(to - from)}`}
          className={classes('absolute min-w-0.5', isRun ? 'top-3 bottom-3 rounded-sm bg-line-strong' : looks[kind])}
          style={{
            left: `min(${percent(scale.position(from))}, calc(100% - 2px))`,
            width: percent(scale.position(to) - scale.position(from)),
          }}
        />
      ))}
    </span>
  );
}

const segmentNames: Readonly<Record<SegmentKind, string>> = {
  queued: 'Queued',
  running: 'Running',
  success: 'Succeeded',
  failed: 'Failed',
  skipped: 'Skipped',
  waiting: 'Waiting',
  pause: 'Until the next attempt',
};

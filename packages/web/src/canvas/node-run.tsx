import { Pin } from 'lucide-react';
import type { NodeRun } from '../state/run-overlay.ts';
import { useNodeRun, useStale } from '../state/run-overlay-context.ts';
import { StepStatusGlyph, stepStatusName } from '../ui/status.tsx';
import { durationText } from '../ui/time.ts';
import { useNow } from '../ui/use-now.ts';

interface NodeRunMarkProps {
  readonly nodeId: string;
  /** Whether its output is pinned in the draft. */
  readonly isPinned: boolean;
}

/** The state of the node in the watched execution. Only this part is drawn again when it changes. */
export function NodeRunMark({ nodeId, isPinned }: NodeRunMarkProps) {
  const run = useNodeRun(nodeId);
  const stale = useStale(nodeId);
  return (
    <>
      {isPinned && (
        <span title="Pinned output: runs that a person starts do not perform this node">
          <Pin size={13} className="text-warning" aria-hidden="true" />
          <span className="sr-only">pinned output</span>
        </span>
      )}
      {run !== undefined && (
        <span className="flex shrink-0 flex-col items-end text-[11px] text-muted leading-[14px] tabular-nums">
          <StepStatusGlyph status={run.status} />
          <RunTime run={run} />
        </span>
      )}
      {run?.status === 'skipped' && (
        <span className="pointer-events-none absolute inset-0 rounded-card bg-sunken opacity-60" />
      )}
      {run !== undefined && stale !== undefined && <StaleCorner reason={stale} />}
      {run !== undefined && <RunChips run={run} />}
      {run !== undefined && run.text !== '' && run.status === 'running' && <StreamedText text={run.text} />}
    </>
  );
}

/** Marks an output that does not fit the draft any more. */
function StaleCorner({ reason }: { readonly reason: string }) {
  return (
    <span title={`Out of date: ${reason}`} className="absolute top-0 right-0 size-4 overflow-hidden rounded-tr-card">
      <span className="absolute -top-2 -right-2 size-4 rotate-45 bg-warning" />
      <span className="sr-only">Out of date: {reason}</span>
    </span>
  );
}

/** How long the attempt has taken, or what it waits for. */
function RunTime({ run: { status, since, durationMs } }: { readonly run: NodeRun }) {
  const isRunning = status === 'running' && since !== null;
  const now = useNow(isRunning);
  if (isRunning) return <span>{durationText(Math.max(0, now - since))}</span>;
  if (status !== 'success' || durationMs === null) return <span>{stepStatusName(status)}</span>;
  return <span>{durationText(durationMs)}</span>;
}

/** What is known besides the state: iterations, attempts, items, tokens and cost. Above the card, so that nothing moves. */
function RunChips({ run }: { readonly run: NodeRun }) {
  const chips = chipsOf(run);
  if (chips.length === 0) return null;
  return (
    <span className="pointer-events-none absolute right-0 bottom-full mb-1 flex gap-1 whitespace-nowrap text-[11px] leading-4">
      {chips.map((chip) => (
        <span key={chip} className="rounded-full border border-line bg-surface px-1.5 text-muted tabular-nums">
          {chip}
        </span>
      ))}
    </span>
  );
}

function chipsOf({ attempt, succeeded, done, calls, total, items, tokens, costUsd }: NodeRun): readonly string[] {
  return [
    done === null ? null : total === null ? `${done} done` : `${done} of ${total}`,
    done === null && succeeded > 1 ? `${succeeded} ×` : null,
    calls === null ? null : calls === 1 ? '1 call' : `${calls} calls`,
    attempt > 1 ? `attempt ${attempt}` : null,
    items === null || done !== null ? null : items === 1 ? '1 item' : `${items.toLocaleString('en')} items`,
    tokens > 0 ? `${tokens.toLocaleString('en')} tokens` : null,
    costUsd > 0 ? `$${costUsd.toFixed(4)}` : null,
  ].filter((chip) => chip !== null);
}

/** The last two lines that a model has written. Above the card: below it are the slots of an agent. */
function StreamedText({ text }: { readonly text: string }) {
  return (
    <span className="pointer-events-none absolute bottom-full left-0 mb-7 w-full rounded-control border border-line bg-surface px-2 py-1">
      <span className="line-clamp-2 break-words text-[11px] text-muted leading-[14px]">{text}</span>
    </span>
  );
}

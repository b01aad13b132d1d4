import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, Pin, Square } from 'lucide-react';
import { type ReactNode, useContext } from 'react';
import { cancelExecution } from '../api/executions.ts';
import type { WatchedRun } from '../state/run-overlay.ts';
import { RunOverlayContext, useIterations, usePins, useWatchedRun } from '../state/run-overlay-context.ts';
import { Button, buttonClasses } from '../ui/button.tsx';
import { ExecutionStatusText } from '../ui/status.tsx';

interface RunBarProps {
  /** Selects a node on the canvas. */
  readonly onShow: (nodeId: string) => void;
}

/** The execution that the canvas shows: its state, its iterations, where it failed, and a link to its page. */
export function RunBar({ onShow }: RunBarProps) {
  const run = useWatchedRun();
  const pins = usePins();
  if (run === null) return null;
  return (
    <section
      aria-label="Run on the canvas"
      className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-4 gap-y-1 border-line border-t bg-surface px-4 py-1.5"
    >
      <span role="status">
        <ExecutionStatusText status={run.status} />
      </span>
      {pins > 0 && (
        <span className="inline-flex items-center gap-1.5 rounded-full bg-warning-soft px-2 py-0.5 text-[12px]">
          <Pin size={12} className="text-warning" aria-hidden="true" />
          {pins === 1 ? '1 pin active' : `${pins} pins active`}
        </span>
      )}
      {run.toNode !== null && <span className="text-[12px] text-muted">Up to {run.toNode}</span>}
      <Failure run={run} onShow={onShow} />
      <span className="ml-auto flex items-center gap-2">
        <IterationStepper />
        <StopButton run={run} />
        <Link to="/runs/$id" params={{ id: run.id }} className={buttonClasses('quiet')}>
          Open run
        </Link>
      </span>
    </section>
  );
}

function Failure({ run: { status, error, errorNodeId }, onShow }: RunBarProps & { readonly run: WatchedRun }) {
  if (status !== 'failed' || error === null) return null;
  return (
    <span role="alert" className="flex min-w-0 items-center gap-2 text-[13px]">
      {errorNodeId !== null && <span className="shrink-0 font-medium">Failed at {errorNodeId}</span>}
      <span className="min-w-0 max-w-xl truncate text-muted" title={error}>
        {error}
      </span>
      {errorNodeId !== null && <Button onClick={() => onShow(errorNodeId)}>Show</Button>}
    </span>
  );
}

function StopButton({ run: { id, status } }: { readonly run: WatchedRun }) {
  const cancel = useMutation({ mutationFn: () => cancelExecution(id) });
  if (status !== 'running' && status !== 'interrupted') return null;
  return (
    <Button
      icon={<Square size={13} aria-hidden="true" />}
      disabled={cancel.isPending}
      title={cancel.error?.message}
      onClick={() => cancel.mutate()}
    >
      Cancel run
    </Button>
  );
}

/** Steps through the iterations of the loop: the cards of its body show one of them. */
function IterationStepper() {
  const overlay = useContext(RunOverlayContext);
  const iterations = useIterations();
  if (iterations === null) return null;
  const { loop, count, shown } = iterations;
  return (
    <fieldset className="inline-flex items-center gap-1 text-[12px] tabular-nums">
      <legend className="sr-only">Iteration of {loop}</legend>
      <StepButton
        label="Previous iteration"
        isDisabled={shown === null}
        onPress={() => overlay.showIteration(shown === null || shown === 0 ? null : shown - 1)}
        icon={<ChevronLeft size={14} aria-hidden="true" />}
      />
      <span role="status" className="min-w-24 text-center">
        {shown === null ? `${loop}: all ${count}` : `${loop}: ${shown + 1} of ${count}`}
      </span>
      <StepButton
        label="Next iteration"
        isDisabled={shown !== null && shown >= count - 1}
        onPress={() => overlay.showIteration(shown === null ? 0 : shown + 1)}
        icon={<ChevronRight size={14} aria-hidden="true" />}
      />
    </fieldset>
  );
}

interface StepButtonProps {
  readonly label: string;
  readonly isDisabled: boolean;
  readonly onPress: () => void;
  readonly icon: ReactNode;
}

function StepButton({ label, isDisabled, onPress, icon }: StepButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      disabled={isDisabled}
      onClick={onPress}
      className="flex size-7 items-center justify-center rounded-control border border-line text-muted hover:bg-hover hover:text-ink disabled:opacity-40"
    >
      {icon}
    </button>
  );
}

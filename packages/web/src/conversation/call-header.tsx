import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ExecutionLog } from '../api/executions.ts';
import { StepStatusGlyph } from '../ui/status.tsx';
import { durationText } from '../ui/time.ts';
import { useNow } from '../ui/use-now.ts';
import type { ModelStep } from './conversation.ts';
import { usageIn } from './model-values.ts';

interface CallHeaderProps {
  readonly executionId: string;
  /** Null for a call without a step. */
  readonly step: Omit<ModelStep, 'index' | 'text'> | null;
  readonly icon: ReactNode;
  readonly title: string;
  /** The state in words, for a call without a step. */
  readonly state?: string;
}

/** What was called, how it went, and what it took; leads to its step. */
export function CallHeader({ executionId, step, icon, title, state }: CallHeaderProps) {
  return (
    <header className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-[13px]">
      <span className="text-muted">{icon}</span>
      {step === null ? (
        <span className="min-w-0 break-all font-medium">{title}</span>
      ) : (
        <Link
          to="/runs/$id"
          params={{ id: executionId }}
          search={{ step: step.nodeId, ...(step.frame !== '' && { frame: step.frame }) }}
          className="min-w-0 break-all font-medium hover:underline"
        >
          {title}
        </Link>
      )}
      {step === null ? <span className="text-[12px] text-muted">{state}</span> : <CallState step={step} />}
    </header>
  );
}

function CallState({ step: { log, runningSince, attempts } }: { readonly step: NonNullable<CallHeaderProps['step']> }) {
  const now = useNow(runningSince !== null);
  const status = runningSince !== null ? (attempts > 1 ? 'retrying' : 'running') : (log?.status ?? 'running');
  return (
    <>
      <StepStatusGlyph status={status} />
      <span className="text-[12px] text-muted tabular-nums">
        {[
          runningSince === null ? null : durationText(Math.max(0, now - runningSince)),
          ...(runningSince === null && log !== null ? costsOf(log) : []),
          attempts > 1 ? `${attempts} attempts` : null,
        ]
          .filter((part) => part !== null)
          .join(' · ')}
      </span>
    </>
  );
}

/** The duration, the tokens and the cost of a call. */
function costsOf({ status, duration_ms: duration, metadata, output }: ExecutionLog): readonly (string | null)[] {
  if (status === 'waiting') return ['waits for a person'];
  // An agent without tools has its usage in its output.
  const usage = usageIn(metadata) ?? usageIn(output);
  return [
    durationText(duration),
    usage === null ? null : `${usage.tokens.toLocaleString('en')} tokens`,
    usage === null || usage.costUsd === 0 ? null : `$${usage.costUsd.toFixed(4)}`,
  ];
}

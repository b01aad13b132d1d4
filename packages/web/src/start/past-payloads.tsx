import { exactJsonText } from '@millrace/core/editing';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Execution, executionQuery, executionsQuery } from '../api/executions.ts';
import { Notice } from '../ui/notice.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';
import { ExecutionStatusText } from '../ui/status.tsx';
import { payloadPreview, type SentPayload } from './payload.ts';
import { PayloadChoice } from './payload-choice.tsx';

interface RecentPayloadsProps {
  readonly recent: readonly SentPayload[];
  readonly onUse: (text: string) => void;
}

/** The payloads that this browser sent. */
export function RecentPayloads({ recent, onUse }: RecentPayloadsProps) {
  if (recent.length === 0) {
    return <p className="text-[13px] text-muted">Payloads that you send from this browser appear here.</p>;
  }
  return (
    <ul className="flex flex-col gap-2">
      {recent.map(({ text, trigger, at }) => (
        <PayloadChoice
          key={`${trigger} ${at}`}
          title={<RelativeTime at={new Date(at).toISOString()} />}
          preview={payloadPreview(text)}
          onPick={() => onUse(text)}
        />
      ))}
    </ul>
  );
}

/** The number of past runs to choose from: older ones are found in the list of runs. */
const shownRuns = 20;

interface PastRunsProps {
  readonly slug: string;
  readonly onUse: (text: string) => void;
}

/** The last runs of the workflow; picking one reads its payload. */
export function PastRuns({ slug, onUse }: PastRunsProps) {
  const { data, error, isPending } = useQuery(executionsQuery({ workflow_slug: slug, limit: shownRuns, offset: 0 }));
  const cache = useQueryClient();
  const read = useMutation({
    mutationFn: (id: string) => cache.fetchQuery(executionQuery(id)),
    onSuccess: ({ trigger_payload: payload }) => onUse(exactJsonText(payload, 2)),
  });
  const problem = error ?? read.error;
  if (problem !== null) return <Notice kind="error">{problem.message}</Notice>;
  if (isPending || data === undefined) return <SkeletonRows rows={3} />;
  if (data.items.length === 0) return <p className="text-[13px] text-muted">The workflow has not run yet.</p>;
  return (
    <ul className="flex flex-col gap-2">
      {data.items.map((run) => (
        <PayloadChoice
          key={run.execution_id}
          title={<RunTitle run={run} />}
          preview={`${run.trigger_node_id}, version ${run.workflow_version}`}
          onPick={() => read.mutate(run.execution_id)}
        />
      ))}
    </ul>
  );
}

function RunTitle({ run: { status, accepted_at: acceptedAt } }: { readonly run: Execution }) {
  return (
    <span className="flex items-center justify-between gap-2">
      <ExecutionStatusText status={status} />
      <span className="text-[12px] text-muted">
        <RelativeTime at={acceptedAt} />
      </span>
    </span>
  );
}

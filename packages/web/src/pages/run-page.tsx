import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Ban, RotateCcw } from 'lucide-react';
import { cancelExecution, type ExecutionDetail, executionQuery, retryExecution } from '../api/executions.ts';
import { JsonTree } from '../runs/json-tree.tsx';
import { StepInspector } from '../runs/step-inspector.tsx';
import { Waterfall } from '../runs/waterfall.tsx';
import { useLiveExecution } from '../state/use-live-execution.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';
import { ExecutionStatusText } from '../ui/status.tsx';

/** One execution: its steps on a time scale, and the values of the selected one. */
export function RunPage() {
  const { id } = useParams({ from: '/app/runs/$id' });
  const { step } = useSearch({ from: '/app/runs/$id' });
  const navigate = useNavigate({ from: '/runs/$id' });
  const { data, error, isPending } = useQuery(executionQuery(id));
  useLiveExecution(id);
  const selected = data === undefined ? undefined : selectedLog(data, step);
  return (
    <>
      <PageHeader title={data === undefined ? 'Run' : `Run of ${data.workflow_slug}`}>
        {data !== undefined && <Actions execution={data} />}
      </PageHeader>
      <div className="flex flex-col gap-4 p-4 md:p-6">
        {error !== null && <Notice kind="error">{error.message}</Notice>}
        {isPending && <SkeletonRows rows={5} />}
        {data !== undefined && (
          <>
            <Summary execution={data} />
            {data.error_message !== null && <Notice kind="error">{data.error_message}</Notice>}
            <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
              <Waterfall
                execution={data}
                selected={selected?.id ?? null}
                onSelect={(log) => void navigate({ search: { step: log }, replace: true })}
              />
              {selected !== undefined && <StepInspector key={selected.id} log={selected} />}
            </div>
            <Values execution={data} />
          </>
        )}
      </div>
    </>
  );
}

/** The step in the address, or the one that failed last. */
function selectedLog({ logs }: ExecutionDetail, step: number | null) {
  return logs.find(({ id }) => id === step) ?? logs.findLast(({ status }) => status === 'failed') ?? logs.at(-1);
}

function Summary({ execution }: { readonly execution: ExecutionDetail }) {
  const { workflow_slug: slug, total_tokens: tokens, total_cost_usd: cost } = execution;
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-2">
      <Fact name="Status">
        <ExecutionStatusText status={execution.status} />
      </Fact>
      <Fact name="Workflow">
        <Link to="/w/$slug" params={{ slug }} className="text-accent hover:underline">
          {slug}
        </Link>{' '}
        <span className="text-muted">version {execution.workflow_version}</span>
      </Fact>
      <Fact name="Started">
        <RelativeTime at={execution.accepted_at} />
      </Fact>
      {tokens > 0 && <Fact name="Tokens">{tokens.toLocaleString('en')}</Fact>}
      {cost > 0 && <Fact name="Cost">${cost.toFixed(4)}</Fact>}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-[12px] text-muted">{name}</dt>
      <dd className="tabular-nums">{children}</dd>
    </div>
  );
}

function Actions({ execution: { execution_id: id, status } }: { readonly execution: ExecutionDetail }) {
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: ['executions'] });
  const cancel = useMutation({ mutationFn: () => cancelExecution(id), onSettled: again });
  const retry = useMutation({ mutationFn: () => retryExecution(id), onSettled: again });
  const isOpen = status === 'pending' || status === 'running' || status === 'waiting' || status === 'interrupted';
  const error = cancel.error ?? retry.error;
  return (
    <>
      {error !== null && <span className="truncate text-[13px] text-danger">{error.message}</span>}
      {isOpen && (
        <Button icon={<Ban size={15} aria-hidden="true" />} disabled={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel
        </Button>
      )}
      {status === 'failed' && (
        <Button
          icon={<RotateCcw size={15} aria-hidden="true" />}
          disabled={retry.isPending}
          onClick={() => retry.mutate()}
        >
          Retry from the failed step
        </Button>
      )}
    </>
  );
}

function Values({ execution }: { readonly execution: ExecutionDetail }) {
  return (
    <div className="grid gap-4 xl:grid-cols-2">
      <ValueCard title="Trigger payload" value={execution.trigger_payload} />
      <ValueCard title="Final output" value={execution.final_output} />
    </div>
  );
}

function ValueCard({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <section className="min-w-0 rounded-card border border-line bg-surface p-4">
      <h2 className="mb-2 font-semibold">{title}</h2>
      <JsonTree value={value} />
    </section>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleX } from 'lucide-react';
import type { ExecutionDetail, ExecutionLog } from '../api/executions.ts';
import { versionQuery } from '../api/workflows.ts';
import { buttonClasses } from '../ui/button.tsx';
import { type FailedPlace, failedPlace, valueAt } from './failed-place.ts';

interface StepErrorProps {
  readonly execution: ExecutionDetail;
  readonly log: ExecutionLog;
}

/** Why an attempt failed: the message first, then the expression, then where to fix it. */
export function StepError({ execution, log }: StepErrorProps) {
  const place = failedPlace(log.error_code, log.error);
  return (
    <div role="alert" className="flex flex-col gap-3 rounded-control bg-danger-soft p-3 text-[13px]">
      <div className="flex items-start gap-2">
        <CircleX size={16} className="mt-0.5 shrink-0 text-danger" aria-hidden="true" />
        <p className="min-w-0 whitespace-pre-wrap break-words font-medium">{place?.reason ?? log.error}</p>
      </div>
      {place !== null && <FailedExpression execution={execution} nodeId={log.node_id} place={place} />}
      <div className="flex flex-wrap items-center gap-3">
        <Link
          to="/w/$slug"
          params={{ slug: execution.workflow_slug }}
          search={{
            node: log.node_id,
            run: execution.execution_id,
            ...(place !== null && { field: place.field }),
          }}
          className={buttonClasses()}
        >
          {place === null ? 'Open in editor' : 'Open in editor at this field'}
        </Link>
        {log.error_code !== null && <code className="text-[12px] text-muted">{log.error_code}</code>}
      </div>
    </div>
  );
}

interface FailedExpressionProps {
  readonly execution: ExecutionDetail;
  readonly nodeId: string;
  readonly place: FailedPlace;
}

/** The text of the field that failed, in the version that was executed. */
function FailedExpression({ execution, nodeId, place }: FailedExpressionProps) {
  const { data } = useQuery(versionQuery(execution.workflow_slug, execution.workflow_version));
  const node = data?.graph.nodes.find((candidate) => candidate.node_id === nodeId);
  const text = valueAt(node?.config.extra_config, place.field) ?? valueAt(node?.config, place.field);
  return (
    <div>
      <p className="text-[12px] text-muted">
        Field <code>{place.field}</code>, line {place.line}, column {place.column}
      </p>
      {typeof text === 'string' && <ExpressionText text={text} place={place} />}
    </div>
  );
}

/** The line with the error, and a mark below its column. */
function ExpressionText({ text, place: { line, column } }: { readonly text: string; readonly place: FailedPlace }) {
  const shown = text.split('\n')[line - 1] ?? text;
  return (
    <pre className="mt-1 overflow-x-auto rounded-control border border-line bg-surface p-2 font-mono text-[12px] leading-4">
      {shown}
      {'\n'}
      <span className="text-danger" aria-hidden="true">{`${' '.repeat(Math.max(0, column - 1))}^`}</span>
    </pre>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { executionQuery } from '../api/executions.ts';
import { questionsIn } from '../api/questions.ts';
import { type ToolStep, toolStepsIn } from '../conversation/conversation.ts';
import { InlineQuestion } from '../inbox/inline-question.tsx';
import { useLiveExecution } from '../state/use-live-execution.ts';
import { StepStatusGlyph } from '../ui/status.tsx';
import { durationText } from '../ui/time.ts';

interface TurnProgressProps {
  readonly executionId: string;
  /** Whether the person may answer questions of the run. */
  readonly canAnswer: boolean;
}

/** What a run does before its answer: the tools that its agents call, and its questions to a person. */
export function TurnProgress({ executionId, canAnswer }: TurnProgressProps) {
  const running = useLiveExecution(executionId);
  const { data } = useQuery(executionQuery(executionId));
  if (data === undefined) return null;
  const tools = toolStepsIn(data.logs, running);
  return (
    <>
      {tools.length > 0 && (
        <ol aria-label="Calls of tools" className="flex flex-col gap-0.5 text-[12px] text-muted">
          {tools.map((tool, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: calls are only added at the end, and ids repeat.
            <li key={at}>
              <ToolLine executionId={executionId} tool={tool} />
            </li>
          ))}
        </ol>
      )}
      {canAnswer &&
        questionsIn(data).map((question) => (
          <InlineQuestion key={`${question.frame} ${question.node_id} ${question.since}`} question={question} />
        ))}
    </>
  );
}

/** Characters of the arguments on one line. */
const shownArguments = 80;

function ToolLine({ executionId, tool }: { readonly executionId: string; readonly tool: ToolStep }) {
  const { name, arguments: args, step, seen } = tool;
  const log = step?.log ?? null;
  const isRunning = step !== null && step.runningSince !== null;
  const status = isRunning ? 'running' : (log?.status ?? (seen === null ? null : 'failed'));
  const text = JSON.stringify(args) ?? '';
  return (
    <span className="flex items-center gap-2">
      {status !== null && <StepStatusGlyph status={status} />}
      {step === null ? (
        <span className="shrink-0">{name}</span>
      ) : (
        <Link
          to="/runs/$id"
          params={{ id: executionId }}
          search={{ step: step.nodeId, frame: step.frame }}
          className="shrink-0 hover:underline"
        >
          {name}
        </Link>
      )}
      <span className="min-w-0 truncate font-mono">{text.slice(0, shownArguments)}</span>
      {log !== null && log.status !== 'waiting' && !isRunning && (
        <span className="shrink-0 tabular-nums">{durationText(log.duration_ms)}</span>
      )}
    </span>
  );
}

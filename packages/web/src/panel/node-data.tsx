import { useContext } from 'react';
import type { ExecutionDetail, ExecutionLog } from '../api/executions.ts';
import { conversationsOf } from '../conversation/conversation.ts';
import { ConversationView } from '../conversation/conversation-view.tsx';
import { RunOverlayContext, useIterations } from '../state/run-overlay-context.ts';
import { type RunningAttempt, useLiveExecution } from '../state/use-live-execution.ts';
import { RelativeTime } from '../ui/relative-time.tsx';
import { JsonTree } from '../values/json-tree.tsx';

interface NodeDataProps {
  readonly nodeId: string;
  readonly execution: ExecutionDetail | undefined;
  readonly kind: 'input' | 'output';
}

/** What a node got and returned in the run on the canvas: in the iteration that the canvas shows, or in the last one. */
export function NodeData({ nodeId, execution, kind }: NodeDataProps) {
  if (execution === undefined) return <p className="text-muted">No data yet. Run the workflow to see it here.</p>;
  const View = execution.completed_at === null ? OpenRunData : RunData;
  return <View {...{ nodeId, execution, kind }} />;
}

interface RunDataProps extends Omit<NodeDataProps, 'execution'> {
  readonly execution: ExecutionDetail;
  /** The attempts in progress. */
  readonly running?: readonly RunningAttempt[];
}

/** The data of a run in progress, read again when it goes on. */
function OpenRunData(props: RunDataProps) {
  return <RunData {...props} running={useLiveExecution(props.execution.execution_id)} />;
}

function RunData({ nodeId, execution, kind, running = [] }: RunDataProps) {
  const overlay = useContext(RunOverlayContext);
  // Another iteration has other values.
  useIterations();
  const log = execution.logs.findLast(({ node_id: id, frame }) => id === nodeId && overlay.shows(frame));
  const place = { nodeId, frame: log?.frame ?? '' };
  const conversations = conversationsOf(place, execution.logs, running);
  if (log === undefined && conversations.length === 0) {
    // The log has a step when its first attempt has ended.
    const isAtWork = execution.completed_at === null && overlay.node(nodeId) !== undefined;
    return <p className="text-muted">{isAtWork ? 'This node is at work.' : 'This run did not reach this node.'}</p>;
  }
  if (kind === 'output' && conversations.length > 0) {
    return (
      <div className="flex flex-col gap-4">
        {log !== undefined && <LoggedValue {...{ execution, log, kind }} />}
        <ConversationView {...{ execution, place, conversations }} />
      </div>
    );
  }
  if (log === undefined)
    return <p className="text-muted">The agent is at work. Its input is known when it has ended.</p>;
  return <LoggedValue {...{ execution, log, kind }} />;
}

interface LoggedValueProps extends Pick<NodeDataProps, 'kind'> {
  readonly execution: ExecutionDetail;
  readonly log: ExecutionLog;
}

function LoggedValue({ execution, log, kind }: LoggedValueProps) {
  const value = kind === 'input' ? log.input : log.output;
  return (
    <div className="flex min-h-0 flex-col gap-2">
      <p className="text-[12px] text-muted">
        {`Run ${execution.execution_id.slice(-6)}${log.frame && `, ${log.frame}`}, attempt ${log.attempt}, ${log.status}`}
        {log.started_at !== null && (
          <>
            , <RelativeTime at={log.started_at} />
          </>
        )}
      </p>
      {log.error !== null && kind === 'output' && <p className="text-[13px] text-danger">{log.error}</p>}
      {value !== null && (
        <JsonTree
          value={value}
          label={kind === 'input' ? 'Input' : 'Output'}
          {...(kind === 'output' && { root: log.node_id })}
        />
      )}
      {value === null && log.error === null && <p className="text-muted">There is no value.</p>}
    </div>
  );
}

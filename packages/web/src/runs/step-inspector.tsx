import { Tabs } from '@base-ui/react/tabs';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type ExecutionDetail, type ExecutionLog, executionLogQuery } from '../api/executions.ts';
import type { AgentPlace, Conversation } from '../conversation/conversation.ts';
import { ConversationView } from '../conversation/conversation-view.tsx';
import { Notice } from '../ui/notice.tsx';
import { StepStatusText } from '../ui/status.tsx';
import { tabClasses, tabListClasses } from '../ui/tabs.ts';
import { durationText, instantOf } from '../ui/time.ts';
import { JsonTree } from '../values/json-tree.tsx';
import { AttemptList } from './attempt-list.tsx';
import { StepError } from './step-error.tsx';
import { consoleLines, detailsOf, isShortened } from './step-values.ts';

/** The tabs of a step; the address names the open one. */
type StepTab = 'conversation' | 'input' | 'output' | 'error' | 'logs' | 'attempts';

interface StepInspectorProps {
  readonly execution: ExecutionDetail;
  /** All attempts of the step, in their order. */
  readonly attempts: readonly ExecutionLog[];
  /** The attempt that is shown. */
  readonly log: ExecutionLog;
  /** Null for the tab that fits the step best. */
  readonly tab: StepTab | null;
  readonly onTab: (tab: StepTab) => void;
  readonly onAttempt: (attempt: number) => void;
  /** Of an agent, what it did. */
  readonly conversations: readonly Conversation[];
  /** The buttons of the step. */
  readonly actions?: ReactNode;
}

/** One attempt of a step: its values, its error, what it wrote, and its other attempts. */
export function StepInspector(props: StepInspectorProps) {
  const { execution, attempts, log, conversations, tab, onTab, onAttempt, actions } = props;
  const lines = consoleLines(log);
  const isAgent = conversations.length > 0;
  const shown = (isAgent || tab !== 'conversation' ? tab : null) ?? firstTab(log, isAgent);
  return (
    <section aria-label={`Step ${log.node_id}`} className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface">
      <StepHeader log={log} isAgent={isAgent} actions={actions} />
      <Tabs.Root
        value={shown}
        onValueChange={(value) => onTab(value as StepTab)}
        className="flex min-h-0 flex-1 flex-col"
      >
        <Tabs.List className={`${tabListClasses} px-4`}>
          {isAgent && (
            <Tabs.Tab value="conversation" className={tabClasses}>
              Conversation
            </Tabs.Tab>
          )}
          <Tabs.Tab value="input" className={tabClasses}>
            Input
          </Tabs.Tab>
          <Tabs.Tab value="output" className={tabClasses}>
            Output
          </Tabs.Tab>
          <Tabs.Tab value="error" className={tabClasses}>
            Error {log.error !== null && <Badge text="1" />}
          </Tabs.Tab>
          <Tabs.Tab value="logs" className={tabClasses}>
            Logs {lines.length > 0 && <Badge text={String(lines.length)} />}
          </Tabs.Tab>
          <Tabs.Tab value="attempts" className={tabClasses}>
            Attempts {attempts.length > 1 && <Badge text={String(attempts.length)} />}
          </Tabs.Tab>
        </Tabs.List>
        <div className="min-h-0 flex-1 overflow-y-auto p-4">
          {isAgent && (
            <Tabs.Panel value="conversation">
              <ConversationView execution={execution} place={placeOf(log)} conversations={conversations} />
            </Tabs.Panel>
          )}
          <Tabs.Panel value="input">
            <StepValue execution={execution} log={log} part="input" />
          </Tabs.Panel>
          <Tabs.Panel value="output">
            <StepValue execution={execution} log={log} part="output" />
          </Tabs.Panel>
          <Tabs.Panel value="error">
            {log.error === null ? (
              <Nothing text="This attempt has no error." />
            ) : (
              <StepError execution={execution} log={log} />
            )}
          </Tabs.Panel>
          <Tabs.Panel value="logs">
            <StepLogs log={log} lines={lines} />
          </Tabs.Panel>
          <Tabs.Panel value="attempts">
            <AttemptList attempts={attempts} shown={log} onSelect={onAttempt} />
          </Tabs.Panel>
        </div>
      </Tabs.Root>
    </section>
  );
}

function firstTab({ status }: ExecutionLog, isAgent: boolean): StepTab {
  if (status === 'failed') return 'error';
  return isAgent ? 'conversation' : 'output';
}

/** An agent works in its calls: its own attempt takes next to no time. */
function wholeTime({ started_at: from, ended_at: to, duration_ms: own }: ExecutionLog): number {
  return from === null || to === null ? own : Math.max(own, instantOf(to) - instantOf(from));
}

function placeOf({ node_id: nodeId, frame }: ExecutionLog): AgentPlace {
  return { nodeId, frame };
}

type StepHeaderProps = Pick<StepInspectorProps, 'log' | 'actions'> & { readonly isAgent: boolean };

function StepHeader({ log, isAgent, actions }: StepHeaderProps) {
  const child = log.metadata.execution_id;
  return (
    <header className="flex flex-col gap-1.5 px-4 pt-3 pb-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="min-w-0 flex-1 truncate font-semibold text-[16px]">
          {log.node_id}
          {log.frame !== '' && <span className="font-normal text-[13px] text-muted"> in {log.frame}</span>}
        </h2>
        <StepStatusText status={log.status} />
        {log.status !== 'skipped' && (
          <span className="text-[12px] text-muted tabular-nums">
            {durationText(isAgent ? wholeTime(log) : log.duration_ms)}
          </span>
        )}
      </div>
      {log.metadata.pinned === true && (
        <Notice kind="warning">The node was not performed: its output is pinned.</Notice>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {actions}
        {typeof child === 'string' && (
          <Link to="/runs/$id" params={{ id: child }} className="text-[13px] text-accent hover:underline">
            Run of the sub-workflow
          </Link>
        )}
      </div>
    </header>
  );
}

function Badge({ text }: { readonly text: string }) {
  return <span className="rounded-full bg-hover px-1.5 text-[11px] tabular-nums">{text}</span>;
}

function Nothing({ text }: { readonly text: string }) {
  return <p className="text-[13px] text-muted">{text}</p>;
}

interface StepValueProps {
  readonly execution: ExecutionDetail;
  readonly log: ExecutionLog;
  readonly part: 'input' | 'output';
}

/** The input or the output of an attempt. What the detail has shortened is read on its own. */
function StepValue({ execution: { execution_id: id }, log, part }: StepValueProps) {
  const isCut = isShortened(log[part]);
  const whole = useQuery({ ...executionLogQuery(id, log.id), enabled: isCut });
  const value = isCut ? whole.data?.[part] : log[part];
  if (whole.error !== null) return <Notice kind="error">{whole.error.message}</Notice>;
  if (value === undefined) return <Nothing text="Loading…" />;
  if (value === null) return <Nothing text={part === 'input' ? noInput(log) : noOutput(log)} />;
  const root = part === 'output' ? { root: log.node_id } : {};
  return <JsonTree key={part} value={value} label={`${part} of ${log.node_id}`} {...root} />;
}

function noInput({ status }: ExecutionLog): string {
  return status === 'skipped' ? 'The node was skipped, so it had no input.' : 'The input is null.';
}

function noOutput({ status }: ExecutionLog): string {
  if (status === 'skipped') return 'The node was skipped: no route led to it.';
  if (status === 'waiting') return 'The step waits, and has no output yet.';
  return 'This attempt failed, and has no output.';
}

function StepLogs({ log, lines }: { readonly log: ExecutionLog; readonly lines: readonly string[] }) {
  const details = detailsOf(log);
  if (lines.length === 0 && details.length === 0) return <Nothing text="This attempt wrote nothing." />;
  return (
    <div className="flex flex-col gap-4">
      {lines.length > 0 && (
        <pre className="max-h-96 overflow-auto whitespace-pre-wrap break-words rounded-control border border-line bg-sunken p-2 font-mono text-[12px] leading-[18px]">
          {lines.join('\n')}
        </pre>
      )}
      {details.length > 0 && (
        <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 text-[13px]">
          {details.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd className="break-words tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

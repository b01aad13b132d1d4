import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { type ExecutionDetail, executionQuery } from '../api/executions.ts';
import { type Conversation, conversationsOf, singleAnswer } from '../conversation/conversation.ts';
import { AgentInspector } from '../runs/agent-inspector.tsx';
import { RunActions } from '../runs/run-actions.tsx';
import { RunFacts } from '../runs/run-facts.tsx';
import { RunInspector } from '../runs/run-inspector.tsx';
import { StepActions } from '../runs/step-actions.tsx';
import { StepFilterBar } from '../runs/step-filter-bar.tsx';
import { StepInspector } from '../runs/step-inspector.tsx';
import { type StepNode, stepKey, stepTree } from '../runs/timeline/step-tree.ts';
import { timeScale } from '../runs/timeline/time-scale.ts';
import { allSegments, type Clock, clockOf } from '../runs/timeline/timeline.ts';
import { Waterfall } from '../runs/timeline/waterfall.tsx';
import { runKey } from '../runs/timeline/waterfall-row.tsx';
import { closedAround, type WaterfallRow, waterfallRows } from '../runs/timeline/waterfall-rows.ts';
import { type RunningAttempt, useLiveExecution } from '../state/use-live-execution.ts';
import { now } from '../ui/clock.ts';
import { Notice } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';

/** One execution: its steps on a time scale, and the values of the selected one. The address has the selection. */
export function RunPage() {
  const { id } = useParams({ from: '/app/runs/$id' });
  const { data, error, isPending } = useQuery(executionQuery(id));
  const running = useLiveExecution(id);
  return (
    <>
      <PageHeader title={data === undefined ? 'Run' : `Run of ${data.workflow_slug}`}>
        {data !== undefined && <RunActions execution={data} />}
      </PageHeader>
      {error !== null && (
        <div className="p-4">
          <Notice kind="error">{error.message}</Notice>
        </div>
      )}
      {isPending && (
        <div className="p-4 md:p-6">
          <SkeletonRows rows={5} />
        </div>
      )}
      {data !== undefined && <RunDetail key={id} execution={data} running={running} />}
    </>
  );
}

interface RunDetailProps {
  readonly execution: ExecutionDetail;
  readonly running: readonly RunningAttempt[];
}

function RunDetail({ execution, running }: RunDetailProps) {
  const steps = useMemo(() => stepTree(execution.logs, running), [execution, running]);
  const clock = useClock(execution);
  const { search, selected, log, select, change } = useSelection(execution, steps);
  // The step in the address is visible from the first paint.
  const [toggled, setToggled] = useState<ReadonlySet<string>>(() => new Set(closedAround(steps, selected)));
  const filter = { text: search.q ?? '', isOnlyFailed: search.failed === true };
  const rows = waterfallRows(steps, toggled, filter);
  const scale = useMemo(() => {
    const busy = steps.flatMap((step) => allSegments(step, clock)).filter(({ kind }) => busyKinds.has(kind));
    return timeScale(clock.end - clock.start, busy);
  }, [steps, clock]);
  const toggle = (key: string): void =>
    setToggled((before) => {
      const after = new Set(before);
      if (!after.delete(key)) after.add(key);
      return after;
    });
  useStepKeys(rows, selected, select);
  const step = stepIn(steps, selected);
  const attempts = log === undefined ? [] : (step?.attempts ?? [log]);
  const place = step ?? null;
  const conversations = useMemo(() => shownConversations(place, execution, running), [place, execution, running]);
  return (
    <div className="flex min-h-0 flex-1 flex-col max-lg:overflow-y-auto">
      <div className="flex flex-col gap-3 border-line border-b bg-surface px-4 py-3 md:px-6">
        <RunFacts execution={execution} />
        <RunNotices execution={execution} />
      </div>
      <div className="flex min-h-0 flex-1 max-lg:flex-col">
        <section
          aria-label="Timeline"
          className="flex min-h-0 min-w-0 flex-col bg-surface max-lg:max-h-[60vh] max-lg:shrink-0 lg:flex-[3]"
        >
          <StepFilterBar
            text={filter.text}
            isOnlyFailed={filter.isOnlyFailed}
            onText={(q) => change({ q })}
            onOnlyFailed={(failed) => change({ failed: failed || undefined })}
          />
          <Waterfall
            rows={rows}
            scale={scale}
            clock={clock}
            selected={selected}
            onSelect={(row) => select(row)}
            onToggle={toggle}
          />
        </section>
        <div className="flex min-h-0 min-w-0 border-line max-lg:border-t lg:flex-[2] lg:border-l">
          {log === undefined && place !== null && conversations.length > 0 ? (
            <AgentInspector execution={execution} place={place} conversations={conversations} />
          ) : log === undefined ? (
            <RunInspector
              execution={execution}
              tab={search.tab === 'output' ? 'output' : 'input'}
              onTab={(tab) => change({ tab })}
            />
          ) : (
            <StepInspector
              key={log.id}
              execution={execution}
              attempts={attempts}
              log={log}
              conversations={conversations}
              tab={search.tab ?? null}
              onTab={(tab) => change({ tab })}
              onAttempt={(attempt) => change({ attempt })}
              actions={<StepActions execution={execution} log={log} />}
            />
          )}
        </div>
      </div>
    </div>
  );
}

const busyKinds: ReadonlySet<string> = new Set(['queued', 'running', 'success', 'failed', 'skipped']);

/** The clock goes on while the execution is in progress. */
function useClock(execution: ExecutionDetail): Clock {
  const [time, setTime] = useState(now);
  const isOpen = execution.completed_at === null;
  useEffect(() => {
    if (!isOpen) return undefined;
    const timer = setInterval(() => setTime(now()), 500);
    return () => clearInterval(timer);
  }, [isOpen]);
  return useMemo(() => clockOf(execution, Math.max(time, now())), [execution, time]);
}

/** What the selected agent did; empty for any other step. */
function shownConversations(
  step: StepNode | null,
  { logs }: ExecutionDetail,
  running: readonly RunningAttempt[],
): readonly Conversation[] {
  if (step === null) return [];
  const found = conversationsOf(step, logs, running);
  const last = step.attempts.at(-1);
  if (found.length > 0 || last === undefined) return found;
  const single = singleAnswer(last);
  return single === null ? [] : [single];
}

/** The selected row, from the address; by default the step that failed last, else the run. */
function useSelection(execution: ExecutionDetail, steps: readonly StepNode[]) {
  const search = useSearch({ from: '/app/runs/$id' });
  const navigate = useNavigate({ from: '/runs/$id' });
  const change = (changed: { readonly [Key in keyof typeof search]?: (typeof search)[Key] | undefined }): void =>
    void navigate({ search: { ...search, ...changed } as typeof search, replace: true });
  const failed = execution.logs.findLast(({ status }) => status === 'failed');
  const place =
    search.step !== undefined
      ? { frame: search.frame ?? '', node_id: search.step }
      : execution.status === 'failed' && failed !== undefined
        ? failed
        : null;
  const selected = place === null || search.step === runKey ? runKey : stepKey(place.frame, place.node_id);
  const attempts = stepIn(steps, selected)?.attempts ?? [];
  const log = attempts.find(({ attempt }) => attempt === search.attempt) ?? attempts.at(-1);
  const select = (row: WaterfallRow | null): void => {
    if (row === null) change({ step: runKey, frame: undefined, attempt: undefined, tab: undefined });
    else if (row.node.kind === 'step') {
      change({ step: row.node.nodeId, frame: row.node.frame, attempt: undefined, tab: undefined });
    }
  };
  return { search, selected, log, select, change };
}

function stepIn(steps: readonly StepNode[], key: string): StepNode | undefined {
  for (const step of steps) {
    if (step.key === key) return step;
    for (const { steps: inner } of step.iterations) {
      const found = stepIn(inner, key);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** J and K go to the next and the previous step, as in lists of mails, wherever the focus is outside of fields. */
function useStepKeys(
  rows: readonly WaterfallRow[],
  selected: string,
  select: (row: WaterfallRow | null) => void,
): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const step = { j: 1, k: -1 }[event.key];
      const target = event.target as HTMLElement;
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      if (target.closest('input, textarea, select, [contenteditable], [role="dialog"]') !== null) return;
      const choices = [null, ...rows.filter(({ node }) => node.kind === 'step')];
      const at = choices.findIndex((row) => (row?.key ?? runKey) === selected);
      const next = choices[Math.min(choices.length - 1, Math.max(0, at + step))];
      if (next !== undefined) select(next);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  });
}

/** What a person should know before reading the steps: why it failed, and that outputs were pinned. */
function RunNotices({ execution }: { readonly execution: ExecutionDetail }) {
  const pins = new Set(execution.logs.filter(({ metadata }) => metadata.pinned === true).map((log) => log.node_id));
  return (
    <>
      {execution.error_message !== null && <Notice kind="error">{execution.error_message}</Notice>}
      {pins.size > 0 && (
        <Notice kind="warning">
          {pins.size === 1 ? '1 pin active' : `${pins.size} pins active`}: the outputs of {[...pins].join(', ')} were
          pinned, so {pins.size === 1 ? 'this node was' : 'these nodes were'} not performed.
        </Notice>
      )}
      {execution.unreadable.length > 0 && (
        <Notice kind="warning">Stored data of this run is damaged: {execution.unreadable.join(', ')}.</Notice>
      )}
    </>
  );
}

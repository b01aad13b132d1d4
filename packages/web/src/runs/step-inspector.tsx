import { Tabs } from '@base-ui/react/tabs';
import type { ExecutionLog } from '../api/executions.ts';
import { Notice } from '../ui/notice.tsx';
import { StepStatusText } from '../ui/status.tsx';
import { durationText } from '../ui/time.ts';
import { JsonTree } from './json-tree.tsx';

const tabClasses =
  'h-8 border-transparent border-b-2 px-1 text-[13px] text-muted data-active:border-accent data-active:text-ink';

/** One attempt of a step: its error first, then its output, its input and what it measured. */
export function StepInspector({ log }: { readonly log: ExecutionLog }) {
  return (
    <section
      aria-label={`Step ${log.node_id}`}
      className="flex min-w-0 flex-col gap-3 rounded-card border border-line bg-surface p-4"
    >
      <header className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <h2 className="min-w-0 truncate font-semibold text-[16px]">{log.node_id}</h2>
        <StepStatusText status={log.status} />
        <span className="text-[12px] text-muted tabular-nums">{durationText(log.duration_ms)}</span>
      </header>
      {log.error !== null && (
        <Notice kind="error">
          {log.error} {log.error_code !== null && <code className="text-[12px] text-muted">{log.error_code}</code>}
        </Notice>
      )}
      <Tabs.Root defaultValue="output">
        <Tabs.List className="flex gap-4 border-line border-b">
          <Tabs.Tab value="output" className={tabClasses}>
            Output
          </Tabs.Tab>
          <Tabs.Tab value="input" className={tabClasses}>
            Input
          </Tabs.Tab>
          <Tabs.Tab value="metadata" className={tabClasses}>
            Details
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="output" className="pt-3">
          {log.output === null ? (
            <p className="text-muted">This step has no output.</p>
          ) : (
            <JsonTree value={log.output} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="input" className="pt-3">
          <JsonTree value={log.input} />
        </Tabs.Panel>
        <Tabs.Panel value="metadata" className="pt-3">
          <JsonTree
            value={{ ...log.metadata, queued_at: log.queued_at, started_at: log.started_at, ended_at: log.ended_at }}
          />
        </Tabs.Panel>
      </Tabs.Root>
    </section>
  );
}

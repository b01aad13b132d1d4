import { Tabs } from '@base-ui/react/tabs';
import type { ExecutionDetail } from '../api/executions.ts';
import { tabClasses, tabListClasses } from '../ui/tabs.ts';
import { JsonTree } from '../values/json-tree.tsx';
import { AgentBudgets } from './agent-budgets.tsx';

interface RunInspectorProps {
  readonly execution: ExecutionDetail;
  readonly tab: 'input' | 'output';
  readonly onTab: (tab: 'input' | 'output') => void;
}

/** The run as a whole: the payload of its trigger and its output. */
export function RunInspector({ execution, tab, onTab }: RunInspectorProps) {
  return (
    <section aria-label="Run" className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface">
      <h2 className="px-4 pt-3 pb-2 font-semibold text-[16px]">Run</h2>
      <AgentBudgets execution={execution} />
      <Tabs.Root
        value={tab}
        onValueChange={(value) => onTab(value === 'output' ? 'output' : 'input')}
        className="flex min-h-0 flex-1 flex-col"
      >
        <Tabs.List className={`${tabListClasses} px-4`}>
          <Tabs.Tab value="input" className={tabClasses}>
            Payload
          </Tabs.Tab>
          <Tabs.Tab value="output" className={tabClasses}>
            Output
          </Tabs.Tab>
        </Tabs.List>
        <div className="min-h-0 flex-1 overflow-y-auto p-4">
          <Tabs.Panel value="input">
            <JsonTree value={execution.trigger_payload} label="Payload" root="trigger.payload" />
          </Tabs.Panel>
          <Tabs.Panel value="output">
            <JsonTree value={execution.final_output} label="Output of the run" />
          </Tabs.Panel>
        </div>
      </Tabs.Root>
    </section>
  );
}

import { useNavigate } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { StartRequest } from '../api/executions.ts';
import type { WorkflowDetail } from '../api/workflows.ts';
import { hintsOf, useCommands } from '../commands/use-commands.ts';
import type { GraphNode } from '../state/graph.ts';
import { buttonClasses } from '../ui/button.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { triggerOf } from './partial-run.ts';
import type { Sample } from './payload.ts';
import { recentPayloads } from './recent-payloads.ts';
import { runMenuTrigger } from './run-menu-trigger.tsx';
import { triggersOf } from './triggers.ts';
import { useStart } from './use-start.ts';

/** Loaded after the canvas: menus are a tenth of its scripts. */
const loadMenu = () => import('./run-menu.tsx');
const RunMenu = lazy(async () => ({ default: (await loadMenu()).RunMenu }));
const PayloadDialog = lazy(async () => ({ default: (await import('./payload-dialog.tsx')).PayloadDialog }));

interface RunButtonProps {
  readonly workflow: WorkflowDetail;
  /** The selected node, up to which a run can go. */
  readonly selected: GraphNode | null;
  /** Stores the samples of a trigger with the workflow. */
  readonly onSaveSamples: (triggerNodeId: string, samples: readonly Sample[]) => void;
  /** Called before a run starts: edits that are not saved yet would not be in it. */
  readonly beforeRun?: () => Promise<void>;
  /** Called with the reason why a run could not start, and with null when another one starts. */
  readonly onError: (message: string | null) => void;
}

/** Runs the draft: at once, with a payload, up to a node, or with the next call of the webhook. */
export function RunButton({ workflow, selected, onSaveSamples, beforeRun, onError }: RunButtonProps) {
  const [open, setOpen] = useState<'payload' | 'listen' | null>(null);
  const start = useStart({ workflow, beforeRun });
  const message = start.error?.message ?? null;
  useEffect(() => onError(message), [message, onError]);
  const { run, runLast, node, canRun, hasWebhook, hasChat } = useWays(workflow, selected, start);
  const navigate = useNavigate();
  useCommands({
    'run.start': { run: () => run({}), isEnabled: canRun },
    'run.payload': { run: () => setOpen('payload'), isEnabled: canRun },
    'run.again': { run: () => runLast?.(), isEnabled: canRun && runLast !== null },
    'run.toNode': { run: () => node?.onRunTo(), isEnabled: canRun && node !== null, detail: node?.name ?? null },
    'run.onlyNode': { run: () => node?.onRunOnly(), isEnabled: canRun && node !== null, detail: node?.name ?? null },
    'run.listen': { run: () => setOpen('listen'), isEnabled: canRun && hasWebhook },
    'run.chat': {
      run: () => void navigate({ to: '/w/$slug/chat', params: { slug: workflow.slug } }),
      isEnabled: hasChat,
    },
  });
  return (
    <span className="inline-flex">
      <button
        type="button"
        disabled={!canRun}
        onClick={() => run({})}
        {...hintsOf('run.start')}
        className={`${buttonClasses('primary')} rounded-r-none`}
      >
        <Play size={15} aria-hidden="true" />
        Run
      </button>
      <MenuButton
        {...runMenuTrigger}
        disabled={!canRun}
        load={loadMenu}
        menu={() => (
          <RunMenu
            slug={workflow.slug}
            isDisabled={!canRun}
            hasChat={hasChat}
            onRun={() => run({})}
            onPayload={() => setOpen('payload')}
            onLast={runLast}
            onListen={hasWebhook ? () => setOpen('listen') : null}
            node={node}
          />
        )}
      />
      {open !== null && (
        <Suspense>
          <PayloadDialog
            workflow={workflow}
            startsListening={open === 'listen'}
            isStarting={start.isPending}
            onClose={() => setOpen(null)}
            onSaveSamples={onSaveSamples}
            onRun={(request) => {
              setOpen(null);
              run(request);
            }}
          />
        </Suspense>
      )}
    </span>
  );
}

/** The ways in which the workflow can be run now. */
function useWays(workflow: WorkflowDetail, selected: GraphNode | null, start: ReturnType<typeof useStart>) {
  const triggers = triggersOf(workflow);
  const [last] = recentPayloads(workflow.id);
  const run = (request: StartRequest): void => start.mutate({ trigger: triggers[0]?.nodeId, ...request });
  const runLast = (): void => {
    if (last !== undefined) run({ payload: JSON.parse(last.text), trigger: last.trigger });
  };
  const nodeId = selected?.node_id ?? null;
  const trigger = nodeId === null ? null : triggerOf(workflow, nodeId);
  // The way to a node depends on the payload, so the last one is sent again.
  const sent = last !== undefined && last.trigger === trigger && last.text !== '' ? JSON.parse(last.text) : undefined;
  const node =
    nodeId === null || trigger === null
      ? null
      : {
          name: selected?.label ?? nodeId,
          onRunTo: () => run({ trigger, toNode: nodeId, payload: sent }),
          onRunOnly: () => start.mutate({ onlyNode: nodeId }),
        };
  return {
    run,
    runLast: last === undefined || last.text === '' ? null : runLast,
    node,
    canRun: !start.isPending && triggers.length > 0,
    hasWebhook: triggers.some(({ type }) => type === 'trigger_webhook'),
    hasChat: triggers.some(({ type }) => type === 'trigger_chat'),
  };
}

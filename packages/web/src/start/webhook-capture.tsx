import { exactJsonText } from '@millrace/core/editing';
import { useQueryClient } from '@tanstack/react-query';
import { LoaderCircle } from 'lucide-react';
import { useEffect, useState } from 'react';
import { executionQuery } from '../api/executions.ts';
import { live } from '../api/live.ts';
import type { WorkflowDetail } from '../api/workflows.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { CopyButton } from '../values/copy-button.tsx';
import type { TriggerNode } from './triggers.ts';

interface WebhookCaptureProps {
  readonly workflow: WorkflowDetail;
  readonly triggers: readonly TriggerNode[];
  readonly onUse: (text: string) => void;
}

/** Waits for the next call of the webhook, and fills the editor with its payload. The call runs the workflow as usual. */
export function WebhookCapture({ workflow, triggers, onUse }: WebhookCaptureProps) {
  const { captured, listenAgain, error } = useNextCall(workflow.slug, triggers, onUse);
  const url = `${location.origin}/api/v1/webhooks/${workflow.slug}`;
  return (
    <div className="flex flex-col gap-3 text-[13px]">
      <div className="rounded-control border border-line bg-sunken p-2">
        <code className="block break-all text-[12px]">{url}</code>
        <CopyButton label="Copy URL" text={() => url} />
      </div>
      {!workflow.is_active && (
        <Notice kind="warning">The workflow is inactive, so that its webhook rejects calls. Activate it first.</Notice>
      )}
      {error !== null && <Notice kind="error">{error}</Notice>}
      {captured === null ? (
        <p role="status" className="flex items-center gap-2 text-muted">
          <LoaderCircle size={15} className="shrink-0 animate-spin text-accent" aria-hidden="true" />
          Waiting for a call. The call also starts a run of the workflow.
        </p>
      ) : (
        <>
          <Notice kind="info">A call was captured. Its payload is in the editor.</Notice>
          <Button onClick={listenAgain}>Listen for another call</Button>
        </>
      )}
    </div>
  );
}

function useNextCall(slug: string, triggers: readonly TriggerNode[], onUse: (text: string) => void) {
  const cache = useQueryClient();
  const [captured, setCaptured] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const webhooks = triggers.filter(({ type }) => type === 'trigger_webhook').map(({ nodeId }) => nodeId);
  const names = webhooks.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onUse` is another function in each render.
  useEffect(() => {
    if (captured !== null) return undefined;
    return live.subscribe(`workflow:${slug}`, {
      event: ({ type, data }) => {
        if (type !== 'execution_started' || !names.split(' ').includes(String(data.trigger_node_id))) return;
        const id = String(data.execution_id);
        setCaptured(id);
        cache.fetchQuery(executionQuery(id)).then(
          ({ trigger_payload: payload }) => onUse(exactJsonText(payload, 2)),
          (failure: unknown) => setError(failure instanceof Error ? failure.message : String(failure)),
        );
      },
      gap: () => undefined,
      rejected: setError,
    });
  }, [cache, captured, names, slug]);
  return { captured, error, listenAgain: () => setCaptured(null) };
}

import { Tabs } from '@base-ui/react/tabs';
import { CircleCheck, CircleX } from 'lucide-react';
import { useState } from 'react';
import type { WorkflowDetail } from '../api/workflows.ts';
import type { GraphNode } from '../state/graph.ts';
import { tabClasses } from '../ui/tabs.ts';
import { CopyButton } from '../values/copy-button.tsx';
import { LastCalls } from './last-calls.tsx';
import { TriggerCard } from './trigger-card.tsx';
import { curlCommand, fetchCommand, type WebhookCall, webhookCall } from './webhook-command.ts';

interface WebhookCardProps {
  readonly workflow: WorkflowDetail;
  readonly node: GraphNode;
  readonly icon: string;
}

/** The one address of a webhook: whether calls are accepted now, how to call it, and the last calls. */
export function WebhookCard({ workflow, node, icon }: WebhookCardProps) {
  const call = webhookCall(location.origin, workflow.slug, node);
  const samples = (node.config.trigger_config as { samples?: { payload?: unknown }[] } | null)?.samples ?? [];
  const payload = samples[0]?.payload ?? { name: 'Ada' };
  return (
    <TriggerCard node={node} icon={icon} kind="Webhook">
      <Acceptance workflow={workflow} node={node} />
      <div className="flex items-center gap-2 rounded-control border border-line bg-sunken px-3 py-2">
        <code className="min-w-0 flex-1 break-all text-[13px]">{call.url}</code>
        <CopyButton label="Copy URL" text={() => call.url} />
      </div>
      <AuthHint call={call} />
      <Commands call={call} payload={payload} />
      <LastCalls slug={workflow.slug} triggerNodeId={node.node_id} noun="call" />
    </TriggerCard>
  );
}

/** Why a call is accepted or rejected now. */
function Acceptance({ workflow, node }: Omit<WebhookCardProps, 'icon'>) {
  const isOn = node.config.is_active !== false;
  const version = workflow.published_version;
  const checks = [
    { isMet: workflow.is_active, met: 'The workflow is active', unmet: 'The workflow is inactive: calls are rejected' },
    { isMet: isOn, met: 'The trigger is active', unmet: 'The trigger is inactive: calls are rejected' },
    {
      isMet: true,
      met: version === null ? 'Calls run every saved edit at once' : `Calls run the published version ${version}`,
      unmet: '',
    },
  ];
  return (
    <ul aria-label="State" className="flex flex-wrap gap-x-5 gap-y-1 text-[13px]">
      {checks.map(({ isMet, met, unmet }) => (
        <li key={met} className="inline-flex items-center gap-1.5">
          {isMet ? (
            <CircleCheck size={15} className="text-success" aria-hidden="true" />
          ) : (
            <CircleX size={15} className="text-danger" aria-hidden="true" />
          )}
          {isMet ? met : unmet}
        </li>
      ))}
    </ul>
  );
}

function AuthHint({ call: { auth, isSigned } }: { readonly call: WebhookCall }) {
  const hints = {
    key: 'Callers need an API key in the Authorization header. With ?api_key= in the address, the key is in logs.',
    basic: "Callers need the user name and password of the trigger's credential, or an API key.",
    none: 'Everybody who knows the address can call it.',
  } as const;
  return (
    <p className="text-[13px] text-muted">
      {hints[auth]}
      {isSigned && ' A signed request needs no key.'}
    </p>
  );
}

function Commands({ call, payload }: { readonly call: WebhookCall; readonly payload: unknown }) {
  const commands = { curl: curlCommand(call, payload), JavaScript: fetchCommand(call, payload) };
  const [shown, setShown] = useState<keyof typeof commands>('curl');
  return (
    <Tabs.Root value={shown} onValueChange={(value) => setShown(value as keyof typeof commands)}>
      <Tabs.List className="flex gap-4 border-line border-b">
        {Object.keys(commands).map((name) => (
          <Tabs.Tab key={name} value={name} className={tabClasses}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {Object.entries(commands).map(([name, text]) => (
        <Tabs.Panel key={name} value={name} className="relative mt-3">
          <pre className="whitespace-pre-wrap break-words rounded-control border border-line bg-sunken p-3 pr-24 text-[12px]">
            <code>{text}</code>
          </pre>
          <CopyButton label="Copy" text={() => text} className="absolute top-2 right-2 bg-raised" />
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}

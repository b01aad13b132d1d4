import { Tabs } from '@base-ui/react/tabs';
import { exactJsonText } from '@millrace/core/editing';
import { Play } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import type { StartRequest } from '../api/executions.ts';
import type { WorkflowDetail } from '../api/workflows.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { inputClasses } from '../ui/field.tsx';
import { tabClasses, tabListClasses } from '../ui/tabs.ts';
import { PastRuns, RecentPayloads } from './past-payloads.tsx';
import { type ParsedPayload, parsePayload, type Sample, samplesIn } from './payload.ts';
import { PayloadForm } from './payload-form.tsx';
import { recentPayloads } from './recent-payloads.ts';
import { Samples } from './samples.tsx';
import { schemaFields } from './schema-fields.ts';
import { type TriggerNode, triggersOf } from './triggers.ts';
import { WebhookCapture } from './webhook-capture.tsx';

interface PayloadDialogProps {
  readonly workflow: WorkflowDetail;
  readonly startsListening: boolean;
  readonly isStarting: boolean;
  readonly onClose: () => void;
  readonly onRun: (request: StartRequest) => void;
  readonly onSaveSamples: (triggerNodeId: string, samples: readonly Sample[]) => void;
}

/** Runs a workflow with a payload: written, or taken from a sample, from an earlier run or from a webhook call. */
export function PayloadDialog({
  workflow,
  startsListening,
  isStarting,
  onClose,
  onRun,
  onSaveSamples,
}: PayloadDialogProps) {
  const triggers = triggersOf(workflow);
  const [recent] = useState(() => recentPayloads(workflow.id));
  const [triggerId, setTriggerId] = useState(recent[0]?.trigger ?? triggers[0]?.nodeId ?? '');
  const trigger = triggers.find(({ nodeId }) => nodeId === triggerId) ?? triggers[0];
  const [isRecorded, setRecorded] = useState(false);
  const [text, setText] = useState(recent[0]?.text ?? '{\n  \n}');
  const parsed = parsePayload(text);
  const hasWebhook = triggers.some(({ type }) => type === 'trigger_webhook');
  if (trigger === undefined) return null;
  const run = (): void => {
    if (parsed.kind === 'value') onRun({ payload: parsed.value, trigger: trigger.nodeId, record: isRecorded });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run();
  };
  return (
    <Dialog
      title="Run with payload"
      description="The draft runs once. What you send here is remembered in this browser."
      isOpen
      onOpenChange={onClose}
      isWide
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            icon={<Play size={15} aria-hidden="true" />}
            disabled={parsed.kind === 'invalid' || isStarting}
            onClick={run}
          >
            Run
          </Button>
        </>
      }
    >
      <div className="grid min-h-0 gap-4 md:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the shortcut of the fields inside. */}
        <div className="flex min-w-0 flex-col gap-3" onKeyDown={onKeyDown}>
          {triggers.length > 1 && <TriggerSelect triggers={triggers} value={trigger.nodeId} onChange={setTriggerId} />}
          <PayloadEditor workflow={workflow} text={text} parsed={parsed} onText={setText} />
          <RecordChoice isRecorded={isRecorded} onChange={setRecorded} />
        </div>
        <Tabs.Root defaultValue={startsListening ? 'capture' : 'samples'} className="flex min-w-0 flex-col">
          <Tabs.List className={tabListClasses}>
            <Tabs.Tab value="samples" className={tabClasses}>
              Samples
            </Tabs.Tab>
            <Tabs.Tab value="recent" className={tabClasses}>
              Recent
            </Tabs.Tab>
            <Tabs.Tab value="runs" className={tabClasses}>
              Past runs
            </Tabs.Tab>
            {hasWebhook && (
              <Tabs.Tab value="capture" className={tabClasses}>
                Capture
              </Tabs.Tab>
            )}
          </Tabs.List>
          <div className="max-h-80 min-h-52 overflow-y-auto pt-3">
            <Tabs.Panel value="samples">
              <Samples
                samples={samplesIn(trigger.triggerConfig)}
                parsed={parsed}
                onUse={setText}
                onSave={(samples) => onSaveSamples(trigger.nodeId, samples)}
              />
            </Tabs.Panel>
            <Tabs.Panel value="recent">
              <RecentPayloads recent={recent} onUse={setText} />
            </Tabs.Panel>
            <Tabs.Panel value="runs">
              <PastRuns slug={workflow.slug} onUse={setText} />
            </Tabs.Panel>
            <Tabs.Panel value="capture">
              <WebhookCapture workflow={workflow} triggers={triggers} onUse={setText} />
            </Tabs.Panel>
          </div>
        </Tabs.Root>
      </div>
    </Dialog>
  );
}

interface RecordChoiceProps {
  readonly isRecorded: boolean;
  readonly onChange: (isRecorded: boolean) => void;
}

function RecordChoice({ isRecorded, onChange }: RecordChoiceProps) {
  return (
    <label className="flex items-start gap-2 text-[13px]">
      <input
        type="checkbox"
        checked={isRecorded}
        onChange={({ target }) => onChange(target.checked)}
        className="mt-0.5 size-4 accent-accent"
      />
      <span>
        Record the answers of servers and models
        <span className="block text-[12px] text-muted">The page of the run offers them as a test of the workflow.</span>
      </span>
    </label>
  );
}

interface TriggerSelectProps {
  readonly triggers: readonly TriggerNode[];
  readonly value: string;
  readonly onChange: (nodeId: string) => void;
}

function TriggerSelect({ triggers, value, onChange }: TriggerSelectProps) {
  return (
    <label className="flex flex-col gap-1">
      <span className="font-medium text-[13px]">Trigger</span>
      <select className={inputClasses} value={value} onChange={({ target }) => onChange(target.value)}>
        {triggers.map(({ nodeId, label }) => (
          <option key={nodeId} value={nodeId}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

interface PayloadEditorProps {
  readonly workflow: WorkflowDetail;
  readonly text: string;
  readonly parsed: ParsedPayload;
  readonly onText: (text: string) => void;
}

/** The payload as a form, if the workflow has a schema of plain fields, or as JSON. */
function PayloadEditor({ workflow, text, parsed, onText }: PayloadEditorProps) {
  const fields = schemaFields(workflow.input_schema);
  const [isJson, setIsJson] = useState(fields === null);
  const id = useId();
  const error = parsed.kind === 'invalid' ? parsed.message : null;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-1">
      <div className="flex items-center justify-between">
        <label htmlFor={id} className="font-medium text-[13px]">
          Payload
        </label>
        {fields !== null && (
          <button type="button" className="text-[13px] text-accent hover:underline" onClick={() => setIsJson(!isJson)}>
            {isJson ? 'Edit as a form' : 'Edit as JSON'}
          </button>
        )}
      </div>
      {fields !== null && !isJson && parsed.kind === 'value' ? (
        <PayloadForm fields={fields} payload={parsed.value} onChange={(value) => onText(exactJsonText(value, 2))} />
      ) : (
        <textarea
          id={id}
          value={text}
          spellCheck={false}
          aria-invalid={error !== null}
          aria-describedby={`${id}-error`}
          onChange={({ target }) => onText(target.value)}
          className="h-72 w-full resize-y rounded-control border border-line-strong bg-surface px-2.5 py-2 font-mono text-[12px] leading-[18px] aria-invalid:border-danger"
        />
      )}
      <p id={`${id}-error`} role="status" className="min-h-4 text-[12px] text-danger leading-4">
        {error}
      </p>
    </div>
  );
}

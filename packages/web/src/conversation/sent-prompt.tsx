import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ExecutionLog, executionLogQuery } from '../api/executions.ts';
import { CopyButton } from '../values/copy-button.tsx';
import { JsonTree } from '../values/json-tree.tsx';
import { LongText, valueText } from '../values/long-text.tsx';

type Prompt = NonNullable<ExecutionLog['prompt']>;

/** The whole prompt of a call of the model, read when somebody opens it. */
export function SentPrompt({ query }: { readonly query: ReturnType<typeof executionLogQuery> }) {
  const [isOpen, setIsOpen] = useState(false);
  const { data, error } = useQuery({ ...query, enabled: isOpen });
  return (
    <details className="text-[12px]" open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="w-fit cursor-pointer rounded-control text-muted">Prompt as sent</summary>
      {isOpen && (
        <div className="mt-1.5 flex flex-col gap-2 border-line border-l-2 pl-3">
          {error !== null && <p className="text-danger">{error.message}</p>}
          {data !== undefined &&
            (data.prompt === undefined ? (
              <p className="text-muted">The prompt is not known: the version of this run cannot be read.</p>
            ) : (
              <PromptParts prompt={data.prompt} />
            ))}
        </div>
      )}
    </details>
  );
}

function PromptParts({ prompt }: { readonly prompt: Prompt }) {
  const { model, system, messages, tools, tool_choice: choice } = prompt;
  return (
    <>
      <p className="text-muted">
        Model <span className="text-ink">{model}</span>, tools {choice}
      </p>
      {system !== '' && <PromptMessage author="system" text={system} />}
      {messages.map((message, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no identity but their place.
        <PromptMessage key={at} author={String(message.role)} text={textOf(message)} />
      ))}
      {tools.length > 0 && (
        <details>
          <summary className="w-fit cursor-pointer text-muted">
            {tools.length === 1 ? '1 tool' : `${tools.length} tools`}
          </summary>
          <JsonTree value={tools} label="Tools" openDepth={1} />
        </details>
      )}
      <CopyButton label="Copy as JSON" text={() => JSON.stringify(prompt, null, 2)} className="w-fit" />
    </>
  );
}

function PromptMessage({ author, text }: { readonly author: string; readonly text: string }) {
  return (
    <div className="flex flex-col gap-0.5">
      <h5 className="text-muted">{author}</h5>
      <LongText text={text} label={author} isCode />
    </div>
  );
}

/** The text of a message, and the calls in it. */
function textOf(message: Prompt['messages'][number]): string {
  const { content, tool_calls: calls } = message;
  return [valueText(content), calls === undefined ? '' : valueText(calls)].filter((part) => part !== '').join('\n');
}

import { Bot, CircleX, Pencil, RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ChatTurn } from '../api/chats.ts';
import { completeSentences } from '../state/streamed-texts.ts';
import { Markdown } from '../ui/markdown/markdown.tsx';
import { CopyButton } from '../values/copy-button.tsx';
import { isOpenTurn } from './conversations.ts';
import { TurnProgress } from './turn-progress.tsx';
import { TurnTrace } from './turn-trace.tsx';

interface TurnViewProps {
  readonly turn: ChatTurn;
  /** What a model has written so far; undefined if nothing. */
  readonly streamed: string | undefined;
  /** Whether the person may answer questions of the run. */
  readonly canAnswer: boolean;
  readonly onRetry: () => void;
  readonly onEdit: () => void;
}

/** A message with its answer: the streamed text until the answer is complete. */
export function TurnView({ turn, streamed, canAnswer, onRetry, onEdit }: TurnViewProps) {
  const isOpen = isOpenTurn(turn) && turn.answer === null;
  const text = turn.answer ?? (isOpen ? streamed : undefined);
  return (
    <li className="flex flex-col gap-3">
      <Question text={turn.text} />
      <div className="flex gap-3">
        <Avatar />
        <div className="flex min-w-0 flex-1 flex-col gap-1">
          {isOpen && <TurnProgress executionId={turn.execution_id} canAnswer={canAnswer} />}
          {text !== undefined && <Markdown text={text} />}
          {isOpen && <Writing hasText={text !== undefined} isWaiting={turn.status === 'interrupted'} />}
          {isOpen && text !== undefined && (
            <span className="sr-only" aria-live="polite">
              {completeSentences(text)}
            </span>
          )}
          {!isOpen && text === undefined && <NoAnswer turn={turn} />}
          <div className="flex flex-wrap items-start gap-x-1">
            {!isOpen && (
              <>
                {text !== undefined && <CopyButton label="Copy" text={() => text} />}
                <SmallButton icon={<RotateCcw size={13} aria-hidden="true" />} text="Send again" onPress={onRetry} />
                <SmallButton icon={<Pencil size={13} aria-hidden="true" />} text="Edit" onPress={onEdit} />
              </>
            )}
          </div>
          <TurnTrace executionId={turn.execution_id} />
        </div>
      </div>
    </li>
  );
}

/** The message of a person. */
export function Question({ text, error = null }: { readonly text: string; readonly error?: string | null }) {
  return (
    <div className="flex flex-col items-end gap-1">
      <p className="max-w-[85%] whitespace-pre-wrap break-words rounded-card bg-accent-soft px-3.5 py-2">{text}</p>
      {error !== null && (
        <p role="alert" className="text-[12px] text-danger">
          Not sent: {error}
        </p>
      )}
    </div>
  );
}

/** A message whose execution is not known yet. */
export function WaitingAnswer() {
  return (
    <div className="flex gap-3">
      <Avatar />
      <Writing hasText={false} isWaiting={false} />
    </div>
  );
}

function Avatar() {
  return (
    <span className="flex size-7 shrink-0 items-center justify-center rounded-full border border-line bg-surface text-muted">
      <Bot size={16} aria-hidden="true" />
    </span>
  );
}

function Writing({ hasText, isWaiting }: { readonly hasText: boolean; readonly isWaiting: boolean }) {
  const text = isWaiting ? 'Waiting for a person to decide' : hasText ? 'Writing…' : 'Working…';
  return (
    <p role="status" className="text-[13px] text-muted">
      {text}
    </p>
  );
}

function NoAnswer({ turn: { status } }: { readonly turn: ChatTurn }) {
  const text = status === 'cancelled' ? 'Stopped before it answered.' : 'The run failed before it answered.';
  return (
    <p className="flex items-center gap-2 text-[13px]">
      {status === 'failed' && <CircleX size={15} className="shrink-0 text-danger" aria-hidden="true" />}
      {status === 'completed' ? 'The run ended without an answer.' : text}
    </p>
  );
}

interface SmallButtonProps {
  readonly icon: ReactNode;
  readonly text: string;
  readonly onPress: () => void;
}

function SmallButton({ icon, text, onPress }: SmallButtonProps) {
  return (
    <button
      type="button"
      onClick={onPress}
      className="inline-flex h-7 items-center gap-1.5 rounded-control px-2 text-[12px] text-muted hover:bg-hover hover:text-ink"
    >
      {icon}
      {text}
    </button>
  );
}

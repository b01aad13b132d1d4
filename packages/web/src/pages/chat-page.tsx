import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { MessageSquare, MessageSquarePlus, Trash2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { chatHistoryQuery, forgetConversation } from '../api/chats.ts';
import { cancelExecution } from '../api/executions.ts';
import { workflowQuery } from '../api/workflows.ts';
import { Composer } from '../chat/composer.tsx';
import {
  type Conversation,
  conversationsIn,
  isOpenTurn,
  isUnlisted,
  newSessionId,
  turnsOf,
} from '../chat/conversations.ts';
import { useDraftMessage } from '../chat/draft-message.ts';
import { Question, TurnView, WaitingAnswer } from '../chat/message-view.tsx';
import { useChat } from '../chat/use-chat.ts';
import { useIsReadOnly } from '../state/use-is-read-only.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { inputClasses } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { WorkflowHeader } from './workflow/workflow-header.tsx';

/** A chat with a workflow. The address names the conversation; without one, a new conversation begins. */
export function ChatPage() {
  const { slug } = useParams({ from: '/app/w/$slug/chat' });
  const { session } = useSearch({ from: '/app/w/$slug/chat' });
  const workflow = useQuery(workflowQuery(slug));
  const chat = useChat(slug);
  const canAnswer = !useIsReadOnly(slug);
  const [draft, setDraft] = useDraftMessage(slug);
  const field = useRef<HTMLTextAreaElement>(null);
  const navigate = useNavigate({ from: '/w/$slug/chat' });
  const shown = session ?? '';
  const turns = turnsOf(chat.turns, shown);
  const waiting = chat.sent.filter((message) => message.sessionId === shown && isUnlisted(message, chat.turns));
  const answering = turns.findLast((turn) => isOpenTurn(turn) && turn.answer === null);
  const stop = useMutation({ mutationFn: cancelExecution });
  const send = (text: string): void => {
    const sessionId = session ?? newSessionId();
    if (session === undefined) void navigate({ search: { session: sessionId }, replace: true });
    void chat.send(text.trim(), sessionId);
  };
  const isInactive = workflow.data?.is_active === false;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <ChatHeader
        slug={slug}
        name={workflow.data?.name ?? slug}
        conversations={conversationsIn(chat.turns)}
        session={session}
      />
      <Transcript
        length={turns.length + waiting.length}
        text={answering && chat.streamed.get(answering.execution_id)?.text}
      >
        {chat.error !== null && <Notice kind="error">{chat.error.message}</Notice>}
        {isInactive && <Notice kind="warning">The workflow is inactive, so that it answers no messages.</Notice>}
        {turns.length + waiting.length === 0 && !chat.isPending && (
          <EmptyState icon={<MessageSquare size={32} aria-hidden="true" />} title="Start a conversation">
            Each message starts a run of the workflow. Its answer appears here, also if you close this page meanwhile.
          </EmptyState>
        )}
        <ol role="log" aria-label="Messages" aria-live="off" className="flex flex-col gap-6">
          {turns.map((turn) => (
            <TurnView
              key={turn.execution_id}
              turn={turn}
              streamed={chat.streamed.get(turn.execution_id)?.text}
              canAnswer={canAnswer}
              onRetry={() => send(turn.text)}
              onEdit={() => {
                setDraft(turn.text);
                field.current?.focus();
              }}
            />
          ))}
          {waiting.map((message) => (
            <li key={`${message.text} ${message.earlier}`} className="flex flex-col gap-3">
              <Question text={message.text} error={message.error} />
              {message.error === null && <WaitingAnswer />}
            </li>
          ))}
        </ol>
      </Transcript>
      <Composer
        text={draft}
        field={field}
        isAnswering={answering !== undefined}
        onText={setDraft}
        onSend={() => {
          if (draft.trim() === '') return;
          send(draft);
          setDraft('');
        }}
        onStop={() => answering !== undefined && stop.mutate(answering.execution_id)}
      />
    </div>
  );
}

interface TranscriptProps {
  readonly length: number;
  readonly text: string | undefined;
  readonly children: React.ReactNode;
}

/** How far above its end a person may have scrolled for the list still to follow new text, in pixels. */
const nearEnd = 120;

/** The messages. The list follows new text while its end is visible. */
function Transcript({ length, text, children }: TranscriptProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new messages and new text make the list longer.
  useEffect(() => {
    const element = scroller.current;
    if (element !== null && isFollowing.current) element.scrollTop = element.scrollHeight;
  }, [length, text]);
  return (
    <div
      ref={scroller}
      className="min-h-0 flex-1 overflow-y-auto"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isFollowing.current = scrollHeight - scrollTop - clientHeight < nearEnd;
      }}
    >
      <div className="mx-auto flex max-w-3xl flex-col gap-4 px-4 py-6">{children}</div>
    </div>
  );
}

interface ChatHeaderProps {
  readonly slug: string;
  readonly name: string;
  readonly conversations: readonly Conversation[];
  readonly session: string | undefined;
}

/** The conversation that is shown, the others, and deleting it. */
function ChatHeader({ slug, name, conversations, session }: ChatHeaderProps) {
  const navigate = useNavigate({ from: '/w/$slug/chat' });
  const cache = useQueryClient();
  const isListed = conversations.some(({ sessionId }) => sessionId === session);
  const forget = useMutation({
    mutationFn: (sessionId: string) => forgetConversation(slug, sessionId),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: chatHistoryQuery(slug).queryKey });
      await navigate({ search: {} });
    },
  });
  return (
    <WorkflowHeader slug={slug} title={name}>
      <label className="w-56 max-sm:order-last max-sm:w-full">
        <span className="sr-only">Conversation</span>
        <select
          className={inputClasses}
          value={isListed ? session : ''}
          onChange={({ target }) => void navigate({ search: target.value === '' ? {} : { session: target.value } })}
        >
          <option value="">New conversation</option>
          {conversations.map(({ sessionId, title }) => (
            <option key={sessionId} value={sessionId}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <Button
        icon={<MessageSquarePlus size={15} aria-hidden="true" />}
        onClick={() => void navigate({ search: {} })}
        aria-label="New conversation"
      />
      <Button
        kind="danger"
        icon={<Trash2 size={15} aria-hidden="true" />}
        aria-label="Delete this conversation"
        disabled={!isListed || forget.isPending}
        onClick={() => session !== undefined && forget.mutate(session)}
      />
    </WorkflowHeader>
  );
}

import type { ChatTurn } from '../api/chats.ts';

/** A message that was just sent: it is shown until the history contains it. */
export interface SentMessage {
  readonly sessionId: string;
  readonly text: string;
  /** How many turns with the same text the conversation had before. */
  readonly earlier: number;
  /** Why the message was not accepted. */
  readonly error: string | null;
}

/** A conversation in the list. */
export interface Conversation {
  readonly sessionId: string;
  /** The first message that the history still has. */
  readonly title: string;
  readonly lastAt: string;
}

const maxTitle = 60;

/** The conversations in a history, the newest first. `turns` are newest first. */
export function conversationsIn(turns: readonly ChatTurn[]): readonly Conversation[] {
  const found = new Map<string, Conversation>();
  for (const { session_id: sessionId, text, asked_at: at } of turns) {
    const title = text.replace(/\s+/g, ' ').slice(0, maxTitle);
    found.set(sessionId, { sessionId, title, lastAt: found.get(sessionId)?.lastAt ?? at });
  }
  return [...found.values()];
}

/** The turns of a conversation in the order in which they were asked. */
export function turnsOf(turns: readonly ChatTurn[], sessionId: string): readonly ChatTurn[] {
  return turns.filter((turn) => turn.session_id === sessionId).toReversed();
}

/** The turns of a conversation with one text. */
export function turnsWith(
  turns: readonly ChatTurn[],
  { sessionId, text }: Pick<SentMessage, 'sessionId' | 'text'>,
): number {
  return turns.filter((turn) => turn.session_id === sessionId && turn.text === text).length;
}

/** Whether a message is not in the history yet. */
export function isUnlisted(sent: SentMessage, turns: readonly ChatTurn[]): boolean {
  return turnsWith(turns, sent) <= sent.earlier;
}

/** Whether the answer of a turn may still change. */
export function isOpenTurn({ status }: Pick<ChatTurn, 'status'>): boolean {
  return status === 'pending' || status === 'running' || status === 'waiting' || status === 'interrupted';
}

/** The id of a new conversation. `randomUUID` exists only on pages of a secure origin, and the service may have none. */
export function newSessionId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

import type { ChatTurn, Conversation, ConversationSummary, ConversationWindow } from '@millrace/core';
import type { Page } from './page.ts';

/** What was said in chats with workflows. Turns are written with their runs: see `NewExecution.chat`, `Append.chatAnswer`. */
export interface ChatStore {
  /** Newest first. A turn goes with its run, and of very many of one user with one workflow the oldest go. */
  list(params: ChatFilter & { readonly limit: number; readonly offset: number }): Promise<Page<ChatTurn>>;
  /**
   * What the conversation had before the message that a run answers, or that the run it replays answers: the last turns
   * of the same user in the same session that have been answered, as many as the window has room for. Those that are larger
   * than the window are left out, and those with a blank half: models take no empty messages. Where a memory is named, its
   * newest summary that the message had, or one before it, and the turns since that. Nothing for other runs.
   */
  before(params: ConversationWindow & AskedMemory): Promise<Conversation>;
  /**
   * Keeps a summary that a run made, with the last turn in it and as long as that is kept, for the messages from the run's own
   * on. The first one for a turn and memory stays.
   */
  keepSummary(params: ConversationSummary & { readonly executionId: string }): Promise<void>;
  /** Forgets turns; their runs stay, and those under way go on. */
  remove(params: ChatFilter & { readonly userId: number }): Promise<void>;
}

interface AskedMemory {
  readonly executionId: string;
  /** The node whose summaries are asked for; null for none. */
  readonly memory: string | null;
}

/** Whose turns with which workflow. */
export interface ChatFilter {
  readonly workflowId: number;
  /** Everybody's when left out. */
  readonly userId?: number;
  /** All sessions when left out. */
  readonly sessionId?: string;
}

/** The message that a run answers. */
export interface NewChatTurn {
  readonly userId: number;
  readonly sessionId: string;
  readonly text: string;
}

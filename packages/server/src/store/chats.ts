import type { ChatTurn, Conversation, ConversationSummary, ConversationWindow } from '@millrace/core';
import type { Page } from './page.ts';

/**
 * The history of chats with workflows. Turns are written with their runs: see `NewExecution.chat`, `Append.chatAnswer`.
 */
export interface ChatStore {
  /**
   * Newest first. A turn is deleted with its run. The number of turns per user and workflow is limited; the oldest are
   * deleted. Long pages are read in slices.
   */
  list(params: ChatFilter & ChatPage): Promise<Page<ChatTurn>>;
  /** True if a page has so many bytes that few of them should be in memory at the same time. */
  isLong(params: ChatFilter & ChatPage): Promise<boolean>;
  /**
   * The conversation before the message that a run answers (for a replay: that the replayed run answers): the last
   * answered turns of the same user in the same session that fit in the window. Turns larger than the window are
   * omitted, and so are turns with a blank message or answer, because models accept no empty messages. If a memory is
   * given: its newest summary from before the message, and the turns since that summary. Empty for other runs.
   */
  before(params: ConversationWindow & AskedMemory): Promise<Conversation>;
  /**
   * Stores a summary that a run made, with the last turn that it covers and as long as that turn is stored. It applies
   * to messages from the run's own on. The first summary for a turn and memory is final.
   */
  keepSummary(params: ConversationSummary & { readonly executionId: string }): Promise<void>;
  /** Deletes turns. Their runs are not deleted, and runs in progress continue. */
  remove(params: ChatFilter & { readonly userId: number }): Promise<void>;
}

interface ChatPage {
  readonly limit: number;
  readonly offset: number;
  /** Characters of messages and answers of a page: beyond them the texts of a turn are shortened. By default, none are. */
  readonly characters?: number;
}

interface AskedMemory {
  readonly executionId: string;
  /** The node whose summaries are read; null for none. */
  readonly memory: string | null;
}

/** The user and the workflow of the turns. */
export interface ChatFilter {
  readonly workflowId: number;
  /** All users if omitted. */
  readonly userId?: number;
  /** All sessions if omitted. */
  readonly sessionId?: string;
}

/** The message that a run answers. */
export interface NewChatTurn {
  readonly userId: number;
  readonly sessionId: string;
  readonly text: string;
}

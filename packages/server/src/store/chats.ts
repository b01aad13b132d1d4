import type { ChatTurn, ConversationTurn, ConversationWindow } from '@millrace/core';
import type { Page } from './page.ts';

/** What was said in chats with workflows. Turns are written with their runs: see `NewExecution.chat`, `Append.chatAnswer`. */
export interface ChatStore {
  /** Newest first. A turn goes with its run, and of very many of one user with one workflow the oldest go. */
  list(params: ChatFilter & { readonly limit: number; readonly offset: number }): Promise<Page<ChatTurn>>;
  /**
   * What the conversation had before the message that a run answers, or that the run it replays answers: the last turns
   * of the same user in the same session that have been answered, as many as the window has room for, oldest first. One
   * that is too large ends it. Turns with a blank half are left out: models take no empty messages. Nothing for other runs.
   */
  before(params: ConversationWindow & { readonly executionId: string }): Promise<readonly ConversationTurn[]>;
  /** Forgets turns; their runs stay, and those under way go on. */
  remove(params: ChatFilter & { readonly userId: number }): Promise<void>;
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

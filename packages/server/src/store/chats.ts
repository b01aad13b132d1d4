import type { ChatTurn } from '@millrace/core';
import type { Page } from './page.ts';

/** What was said in chats with workflows. Turns are written with their runs: see `NewExecution.chat`, `Append.chatAnswer`. */
export interface ChatStore {
  /** Newest first. A turn goes with its run, and of very many of one user with one workflow the oldest go. */
  list(params: ChatFilter & { readonly limit: number; readonly offset: number }): Promise<Page<ChatTurn>>;
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

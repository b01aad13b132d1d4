import type { Json } from '../json.ts';
import type { Instant } from '../time.ts';
import type { ExecutionStatus } from './execution.ts';

/** The type of the node at which a message of a chat starts a run. */
export const chatTriggerType = 'trigger_chat';

/** What somebody said in a chat with a workflow, and what it answered. */
export interface ChatTurn {
  /** The run that answers. */
  readonly executionId: string;
  readonly sessionId: string;
  readonly username: string;
  readonly text: string;
  readonly status: ExecutionStatus;
  /** Null until a respond node has answered, or the run has completed. */
  readonly answer: string | null;
  readonly askedAt: Instant;
  /** When the run ended. */
  readonly answeredAt: Instant | null;
}

/** Characters of an answer that the history of a chat keeps: what nobody reads further; the execution has all of it. */
const maxAnswer = 32_768;

/** What a run that completed says in a chat: text as it is, anything else as JSON, nothing as nothing. */
export function chatText(output: Json): string {
  if (typeof output === 'string') return output;
  return output === null ? '' : JSON.stringify(output);
}

/** The same as the history keeps it. */
export function keptChatText(output: Json): string {
  const text = chatText(output);
  // Not half of a pair of surrogates.
  return text.length <= maxAnswer ? text : `${text.slice(0, maxAnswer).toWellFormed()}…`;
}

import { textStart } from '../base/texts/own-text.ts';
import { jsonPieces } from '../expression/json/json-pieces.ts';
import type { Json } from '../json.ts';
import type { Instant } from '../time.ts';
import type { ExecutionStatus } from './execution.ts';

/** The type of the trigger node for chat messages. */
export const chatTriggerType = 'trigger_chat';

/** A message in a chat with a workflow, and the workflow's answer. */
export interface ChatTurn {
  /** The run that answers. */
  readonly executionId: string;
  readonly sessionId: string;
  readonly username: string;
  readonly text: string;
  readonly status: ExecutionStatus;
  /** Null until a respond node has answered or the run has completed. */
  readonly answer: string | null;
  readonly askedAt: Instant;
  /** When the run ended. */
  readonly answeredAt: Instant | null;
}

/** The most characters of an answer in the chat history; the execution stores the whole answer. */
const maxAnswer = 32_768;

/** The answer of a run as the chat history stores it: text unchanged, anything else as JSON, null as nothing. */
export function storedChatText(output: Json): string {
  return beginning(beginningOf(output), maxAnswer);
}

/** What a page of the history shows of a message or an answer for which it has no space. */
const shownLength = 200;

/** The beginning of a message or an answer. */
export function shortChatText(text: string): string {
  return beginning(text, shownLength);
}

function beginning(text: string, length: number): string {
  return text.length <= length ? text : `${textStart(text, length)}…`;
}

/** As much of the answer as shows whether it is too long. */
function beginningOf(output: Json): string {
  if (output === null || typeof output === 'string') return output ?? '';
  let text = '';
  for (const piece of jsonPieces(output)) {
    text += piece;
    if (text.length > maxAnswer) break;
  }
  return text;
}

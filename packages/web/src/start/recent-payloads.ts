import { browserStorage } from '../storage/browser-storage.ts';
import { readRecent, type SentPayload, withSent } from './payload.ts';

function keyOf(workflowId: number): string {
  return `payloads.${workflowId}`;
}

/** The payloads that the user sent from this browser to a workflow, newest first. */
export function recentPayloads(workflowId: number): readonly SentPayload[] {
  return readRecent(browserStorage.userTexts().getItem(keyOf(workflowId)));
}

/** Remembers a payload. Without room in the browser's store, it is forgotten: the run has started anyway. */
export function rememberPayload(workflowId: number, sent: SentPayload): void {
  const texts = browserStorage.userTexts();
  try {
    texts.setItem(keyOf(workflowId), JSON.stringify(withSent(recentPayloads(workflowId), sent)));
  } catch {
    texts.removeItem(keyOf(workflowId));
  }
}

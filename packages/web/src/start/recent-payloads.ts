import { readRecent, type SentPayload, withSent } from './payload.ts';

function keyOf(workflowId: number): string {
  return `millrace.payloads.${workflowId}`;
}

/** The payloads that this browser sent to a workflow, newest first. */
export function recentPayloads(workflowId: number): readonly SentPayload[] {
  return readRecent(localStorage.getItem(keyOf(workflowId)));
}

/** Remembers a payload. Without room in the browser's store, it is forgotten: the run has started anyway. */
export function rememberPayload(workflowId: number, sent: SentPayload): void {
  try {
    localStorage.setItem(keyOf(workflowId), JSON.stringify(withSent(recentPayloads(workflowId), sent)));
  } catch {
    localStorage.removeItem(keyOf(workflowId));
  }
}

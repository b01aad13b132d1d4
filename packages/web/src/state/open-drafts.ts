/** How long a logout waits for edits to be saved. */
const leaveMs = 3000;

/** How to save the drafts of this page whose edits are not all saved yet. */
const saves = new Set<() => Promise<void>>();

/** Notes an open draft. Returns a function that ends it. Every page loads this file, and only few load a draft. */
export function noteOpenDraft(save: () => Promise<void>): () => void {
  saves.add(save);
  return () => void saves.delete(save);
}

/** Saves the edits of this page before the user logs out, as far as the service takes them now. */
export async function saveOpenDrafts(): Promise<void> {
  const all = Promise.allSettled([...saves].map((save) => save()));
  const limit = new Promise((resolve) => setTimeout(resolve, leaveMs));
  await Promise.race([all, limit]);
}

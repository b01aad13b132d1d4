/** The right of one tab to a stored draft. */
export interface DraftLock {
  /** Names the draft. */
  readonly tab: string;
  readonly release: () => void;
}

/** The part of `localStorage` that is used. */
interface Keys {
  readonly length: number;
  key(index: number): string | null;
}

/** Takes a lock if nobody has it; returns the function that releases it, or null. */
export type TakeLock = (name: string) => Promise<(() => void) | null>;

/** The prefix of the keys of a workflow's drafts. */
export function draftPrefix(workflowId: number): string {
  return `millrace.draft.${workflowId}.`;
}

/**
 * Finds the draft for a tab: one that a closed or killed tab has left, so that its edits are saved now, or a new one. A
 * draft that another tab has open is not taken.
 */
export async function lockDraft(
  keys: Keys,
  workflowId: number,
  { take, newId }: { readonly take: TakeLock; readonly newId: () => string },
): Promise<DraftLock> {
  const prefix = draftPrefix(workflowId);
  const names = Array.from({ length: keys.length }, (_, index) => keys.key(index) ?? '');
  const left = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  for (const tab of left.toSorted()) {
    const release = await take(`${prefix}${tab}`);
    if (release !== null) return { tab, release };
  }
  const tab = newId();
  return { tab, release: (await take(`${prefix}${tab}`)) ?? (() => undefined) };
}

/**
 * Takes a lock of the browser. Pages without a secure connection have none: then each tab has the drafts that it left
 * itself before a reload.
 */
export function browserLock(name: string): Promise<(() => void) | null> {
  if (navigator.locks === undefined) return Promise.resolve(ownLock(name));
  return new Promise((resolve) => {
    void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve(null);
      return new Promise<void>((release) => resolve(release));
    });
  });
}

function ownLock(name: string): (() => void) | null {
  const isStored = localStorage.getItem(name) !== null;
  const isOwn = sessionStorage.getItem(name) !== null;
  if (isStored && !isOwn) return null;
  sessionStorage.setItem(name, '1');
  return () => undefined;
}

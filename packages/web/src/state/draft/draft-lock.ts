import type { StoredTexts } from '../../storage/user-texts.ts';

/** The right of one tab to a stored draft. */
export interface DraftLock {
  /** Names the draft. */
  readonly tab: string;
  readonly release: () => void;
}

/** The part of the stored texts that is used. */
interface Names {
  names(): readonly string[];
}

/** Takes a lock if nobody has it; returns the function that releases it, or null. */
export type TakeLock = (name: string) => Promise<(() => void) | null>;

/** The prefix of the names of a workflow's drafts. */
export function draftPrefix(workflowId: number): string {
  return `draft.${workflowId}.`;
}

interface LockOptions {
  readonly take: TakeLock;
  readonly newId: () => string;
  /** The prefixes of the names of whatever else belongs to a draft. */
  readonly others: readonly string[];
}

/**
 * Finds the draft for a tab: one that a closed or killed tab has left, so that its edits are saved now, or a new one. A
 * draft that another tab has open is not taken.
 */
export async function lockDraft(
  texts: Names,
  workflowId: number,
  { take, newId, others }: LockOptions,
): Promise<DraftLock> {
  const prefix = draftPrefix(workflowId);
  const names = texts.names();
  const left = [prefix, ...others].flatMap((start) =>
    names.filter((name) => name.startsWith(start)).map((name) => name.slice(start.length)),
  );
  for (const tab of new Set(left.toSorted())) {
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
export function browserLock(texts: StoredTexts, tabTexts: StoredTexts): TakeLock {
  if (navigator.locks === undefined) return (name) => Promise.resolve(ownLock(name, texts, tabTexts));
  return (name) =>
    new Promise((resolve) => {
      void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
        if (lock === null) return resolve(null);
        return new Promise<void>((release) => resolve(release));
      });
    });
}

function ownLock(name: string, texts: StoredTexts, tabTexts: StoredTexts): (() => void) | null {
  const isStored = texts.getItem(name) !== null;
  const isOwn = tabTexts.getItem(name) !== null;
  if (isStored && !isOwn) return null;
  tabTexts.setItem(name, '1');
  return () => undefined;
}

import { useSyncExternalStore } from 'react';

type Urgency = 'polite' | 'assertive';

const texts: Record<Urgency, string> = { polite: '', assertive: '' };
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Makes a screen reader read a text: after what it is reading, or, for failures, at once. */
export function announce(text: string, urgency: Urgency = 'polite'): void {
  // A text that stays the same would not be read again.
  texts[urgency] = texts[urgency] === text ? `${text}\u00a0` : text;
  for (const listener of listeners) listener();
}

/** The texts for screen readers. Each page has one of these. */
export function LiveRegion() {
  const polite = useSyncExternalStore(subscribe, () => texts.polite);
  const assertive = useSyncExternalStore(subscribe, () => texts.assertive);
  return (
    <div className="sr-only">
      <p aria-live="polite">{polite}</p>
      <p aria-live="assertive">{assertive}</p>
    </div>
  );
}

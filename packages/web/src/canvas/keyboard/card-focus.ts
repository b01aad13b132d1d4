import { createContext, useCallback, useContext, useEffect, useRef, useSyncExternalStore } from 'react';

/**
 * Which card has the focus, or had it last: the one that gets it when Tab reaches the canvas. It is outside the data of
 * the cards, so that an arrow key draws no card again.
 */
export class CardFocus {
  #current: string | null = null;
  #isActive = false;
  #wanted: string | null = null;
  readonly #listeners = new Set<() => void>();

  /** The card that has the focus, or had it last. */
  get current(): string | null {
    return this.#current;
  }

  /** The card that has the focus now. */
  get active(): string | null {
    return this.#isActive ? this.#current : null;
  }

  /** The card that gets the focus as soon as it is drawn. */
  get wanted(): string | null {
    return this.#wanted;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Gives the focus to a card, which may not be drawn yet. */
  request(nodeId: string): void {
    this.#current = nodeId;
    this.#wanted = nodeId;
    this.#publish();
  }

  gained(nodeId: string): void {
    this.#current = nodeId;
    this.#isActive = true;
    this.#wanted = null;
    this.#publish();
  }

  lost(nodeId: string): void {
    if (this.#current === nodeId) this.#isActive = false;
  }

  #publish(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const CardFocusContext = createContext(new CardFocus());

/** Lets a card take the focus when it is requested. */
export function useFocusableCard(nodeId: string) {
  const focus = useContext(CardFocusContext);
  const element = useRef<HTMLDivElement>(null);
  const isWanted = useSyncExternalStore(
    focus.subscribe,
    useCallback(() => focus.wanted === nodeId, [focus, nodeId]),
  );
  useEffect(() => {
    // The canvas shows the card itself; the browser would scroll the page.
    if (isWanted) element.current?.focus({ preventScroll: true });
  }, [isWanted]);
  return {
    ref: element,
    // The canvas is one stop of the Tab key: arrow keys lead from card to card.
    tabIndex: -1,
    onFocus: (event: { target: unknown; currentTarget: unknown }) => {
      if (event.target === event.currentTarget) focus.gained(nodeId);
    },
    onBlur: () => focus.lost(nodeId),
  };
}

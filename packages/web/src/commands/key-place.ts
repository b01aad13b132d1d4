import type { KeyPlace } from './command-registry.ts';

/** Elements that handle all keys themselves, unless they are closed and only disappearing. */
const modal = ['dialog', 'alertdialog', 'menu'].map((role) => `[role="${role}"]:not([data-closed])`).join();

/** The attribute of the element that is the canvas. */
const canvas = '[data-canvas]';

/** Input elements in which keys are not text. */
const buttons: ReadonlySet<string> = new Set(['checkbox', 'radio', 'button', 'submit', 'range', 'color', 'file']);

/** Whether keys are text in an element. */
export function isTypedIn(element: Element): boolean {
  if (element.tagName === 'INPUT') return !buttons.has((element as HTMLInputElement).type);
  if (element.tagName === 'TEXTAREA' || element.tagName === 'SELECT') return true;
  return (element as HTMLElement).isContentEditable;
}

/**
 * Follows where the focus is. Where a click on something that takes no focus counts: after a click on the empty canvas,
 * its keys work.
 */
export class FocusPlace {
  #isCanvas = false;

  /** Notes where the focus, or the pointer, has gone. */
  note(target: EventTarget | null): void {
    this.#isCanvas = target instanceof Element && target.closest(canvas) !== null;
  }

  /** Where a key is pressed; null if a dialog or a menu has the keys. */
  of(event: Event): KeyPlace | null {
    // The code editor is in a shadow root, from which only the path of the event leads to the element.
    const [target] = event.composedPath();
    if (!(target instanceof Element)) return { isTyping: false, isCanvas: this.#isCanvas };
    if (target.closest(modal) !== null || document.querySelector(modal) !== null) return null;
    const isLost = target === document.body;
    return { isTyping: isTypedIn(target), isCanvas: isLost ? this.#isCanvas : target.closest(canvas) !== null };
  }
}

/** Whether the key presses the button or the link that has the focus. */
export function isPress({ key, target }: Pick<KeyboardEvent, 'key' | 'target'>): boolean {
  return (key === 'Enter' || key === ' ') && target instanceof Element && target.matches('button, a[href], summary');
}

/** Whether the clipboard belongs to something other than the canvas: a field, a dialog, a code editor. */
export function isElsewhere(event: Event): boolean {
  const [target] = event.composedPath();
  if (!(target instanceof Element)) return false;
  return isTypedIn(target) || target.closest('[role="treegrid"]') !== null || document.querySelector(modal) !== null;
}

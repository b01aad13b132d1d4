let waiting: MutationObserver | null = null;

/** Gives the focus to an element as soon as it is on the page, unless the user does something before. */
export function focusWhenThere(selector: string): void {
  waiting?.disconnect();
  const focus = (): boolean => {
    const element = document.querySelector<HTMLElement>(selector);
    element?.focus();
    return element !== null;
  };
  if (focus()) return;
  const end = (): void => {
    observer.disconnect();
    for (const type of ['keydown', 'pointerdown']) window.removeEventListener(type, end, { capture: true });
  };
  const observer = new MutationObserver(() => focus() && end());
  waiting = observer;
  observer.observe(document.body, { childList: true, subtree: true });
  for (const type of ['keydown', 'pointerdown']) window.addEventListener(type, end, { capture: true });
}

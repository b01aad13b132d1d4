import { type RefObject, useEffect } from 'react';

/** J and K move the focus to the next and the previous card of a list, unless somebody writes. */
export function useCardKeys(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || isEditable(event.target)) return;
      const cards = [...(list.current?.querySelectorAll<HTMLElement>('article') ?? [])];
      const current = cards.findIndex((card) => card.contains(document.activeElement));
      const next = current === -1 ? 0 : Math.min(Math.max(current + step, 0), cards.length - 1);
      cards[next]?.focus();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [list]);
}

function isEditable(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}

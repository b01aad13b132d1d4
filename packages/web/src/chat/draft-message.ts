import { useState } from 'react';

function keyOf(slug: string): string {
  return `millrace.chat.${slug}`;
}

/** The message that is being written. It survives a reload of the page. */
export function useDraftMessage(slug: string): readonly [string, (text: string) => void] {
  const [text, setText] = useState(() => localStorage.getItem(keyOf(slug)) ?? '');
  const change = (next: string): void => {
    setText(next);
    if (next === '') localStorage.removeItem(keyOf(slug));
    else localStorage.setItem(keyOf(slug), next);
  };
  return [text, change];
}

import { useState } from 'react';
import { browserStorage } from '../storage/browser-storage.ts';

function keyOf(slug: string): string {
  return `chat.${slug}`;
}

/** The message that is being written. It survives a reload of the page. */
export function useDraftMessage(slug: string): readonly [string, (text: string) => void] {
  const [texts] = useState(() => browserStorage.userTexts());
  const [text, setText] = useState(() => texts.getItem(keyOf(slug)) ?? '');
  const change = (next: string): void => {
    setText(next);
    if (next === '') texts.removeItem(keyOf(slug));
    else texts.setItem(keyOf(slug), next);
  };
  return [text, change];
}

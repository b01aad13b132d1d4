import { exactJsonText, exactNumber } from '@millrace/core/editing';

/** The number that a text is, if the number has exactly this text: '7.0', '007' and digits that would be rounded stay text. */
export function typedNumber(text: string): number | null {
  const typed = text.trim();
  const number = /^-?\d/.test(typed) ? exactNumber(typed) : typed;
  return typeof number === 'number' && exactJsonText(number) === typed ? number : null;
}

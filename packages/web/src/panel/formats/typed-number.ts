/** The number that a text is, if the number has exactly this text: '7.0', '007' and digits that would be rounded stay text. */
export function typedNumber(text: string): number | null {
  const number = Number(text);
  return String(number) === text.trim() && Number.isFinite(number) ? number : null;
}

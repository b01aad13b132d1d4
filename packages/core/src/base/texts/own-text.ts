/**
 * A text with its own memory. V8 represents a part of a text as a reference to the whole, so a short part that is stored
 * would retain a large text.
 */
export function ownText(part: string): string {
  // The two texts are joined in new memory, because a slice cannot refer to two of them.
  return ` ${part}`.slice(1);
}

/** The first characters of a text, with their own memory. Does not split a surrogate pair. */
export function textStart(text: string, length: number): string {
  return text.length <= length ? text : ownText(text.slice(0, length).toWellFormed());
}

/** A text that is not longer retains little. */
const littleText = 1000;

/** A part of a text, with its own memory if it is much smaller than the text. */
export function ownPart(part: string, { length }: string): string {
  return length > littleText && part.length * 2 < length ? ownText(part) : part;
}

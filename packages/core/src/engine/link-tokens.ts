/**
 * The tokens of links that answer a step: a JSON list that begins with `answer` or `callback`, in base64url, and its
 * signature. None of their characters is escaped in JSON or encoded in a URL, so they are found in every such text.
 */
const run = /WyJ(?:hbnN3ZXIiLCI|jYWxsYmFjayIsI)[\w-]*(?:\.[\w-]+)*/g;

/** Without a signature, a token answers nothing. The expression does not demand one, so that its time is linear. */
const isSigned = (token: string): boolean => token.includes('.');

/** What is shown instead of a token. */
const mask = '****';

/** The tokens of links in a text, each once. */
export function linkTokensIn(text: string): readonly string[] {
  return [...new Set(text.match(run))].filter(isSigned);
}

/** A text without the tokens of links that readers may not use; by default without all. The same text if it has none. */
export function withoutLinkTokens(text: string, isHidden: (token: string) => boolean = () => true): string {
  return text.replace(run, (token) => (isSigned(token) && isHidden(token) ? mask : token));
}

/** How many characters are searched for the beginning of a token. Tokens are shorter: `maxTokenLength` in wait-links.ts. */
const reach = 8000;

/**
 * The length of the end of a text that may be the beginning of a token: a text that arrives in parts is not divided
 * within it.
 */
export function openTokenLength(text: string): number {
  let start = text.length;
  while (start > 0 && text.length - start < reach && /[\w.-]/.test(text.charAt(start - 1))) start -= 1;
  const end = text.slice(start);
  const first = end.indexOf('WyJ');
  if (first >= 0) return end.length - first;
  return ['Wy', 'W'].find((beginning) => end.endsWith(beginning))?.length ?? 0;
}

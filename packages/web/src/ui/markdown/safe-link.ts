/** The schemes that links in an answer may have. */
const schemes: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** The address of a link in an answer; null if it could run a script, or leads nowhere outside. */
export function safeLink(href: string): string | null {
  try {
    const url = new URL(href);
    return schemes.has(url.protocol) ? href : null;
  } catch {
    return null;
  }
}

/**
 * Markdown as people and models write it, as the HTML of the messaging platform. Its own Markdown needs a backslash before
 * many characters, and rejects the whole message if one is missing. What has no equivalent there stays as it is written.
 */
export function markdownToHtml(markdown: string): string {
  const html: string[] = [];
  let code: { readonly fence: string; readonly open: string; readonly lines: string[] } | null = null;
  for (const line of markdown.split('\n')) {
    const [, fence = '', language = ''] = /^ {0,3}(```+|~~~+)[ \t]*([\w+#.-]*)/.exec(line) ?? [];
    if (code !== null && fence.startsWith(code.fence)) {
      html.push(block(code));
      code = null;
    } else if (code !== null) {
      code.lines.push(escaped(line));
    } else if (fence === '') {
      html.push(lineOf(line));
    } else {
      code = { fence, open: language === '' ? '<code>' : `<code class="language-${escaped(language)}">`, lines: [] };
    }
  }
  if (code !== null) html.push(block(code));
  return html.join('\n').replaceAll('</blockquote>\n<blockquote>', '\n');
}

function block({ open, lines }: { readonly open: string; readonly lines: readonly string[] }): string {
  return `<pre>${open}${lines.join('\n')}</code></pre>`;
}

function lineOf(line: string): string {
  const [, heading] = /^ {0,3}#{1,6}[ \t]+(\S.*)$/.exec(line) ?? [];
  if (heading !== undefined) return `<b>${inline(heading.replace(/\*\*|__/g, ''))}</b>`;
  const [, quote] = /^ {0,3}>[ \t]?(.*)$/.exec(line) ?? [];
  if (quote !== undefined) return `<blockquote>${inline(quote)}</blockquote>`;
  const [, indent = '', item] = /^([ \t]*)[-*+][ \t]+(\S.*)$/.exec(line) ?? [];
  return item === undefined ? inline(line) : `${indent}• ${inline(item)}`;
}

/** Each alternative ends at the next character of its own kind, so a search takes linear time. */
const spans =
  /`(?<code>[^`]+)`|\*\*(?<bold>[^*]+)\*\*|(?<![\p{L}\p{N}_])__(?<strong>[^_]+)__(?![\p{L}\p{N}_])|~~(?<strike>[^~]+)~~|\[(?<label>[^\][]+)\]\((?<url>https?:\/\/[^\s()<>"]+)\)|\*(?<italic>[^*\s](?:[^*]*[^*\s])?)\*|(?<![\p{L}\p{N}_])_(?<emphasis>[^_\s](?:[^_]*[^_\s])?)_(?![\p{L}\p{N}_])/u;

function inline(text: string): string {
  let html = '';
  let rest = text;
  for (let match = spans.exec(rest); match !== null; match = spans.exec(rest)) {
    html += escaped(rest.slice(0, match.index)) + spanOf(match.groups ?? {});
    rest = rest.slice(match.index + match[0].length);
  }
  return html + escaped(rest);
}

function spanOf({ code, bold, strong, strike, label, url, italic, emphasis }: Record<string, string>): string {
  if (code !== undefined) return `<code>${escaped(code)}</code>`;
  if (label !== undefined && url !== undefined) return `<a href="${escaped(url)}">${inline(label)}</a>`;
  if (strike !== undefined) return `<s>${inline(strike)}</s>`;
  const heavy = bold ?? strong;
  return heavy === undefined ? `<i>${inline(italic ?? emphasis ?? '')}</i>` : `<b>${inline(heavy)}</b>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

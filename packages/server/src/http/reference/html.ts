import { escaped } from '../plumbing/html-text.ts';

/** Where a link of a Markdown page leads: to a page of the service, or to a file that the service does not show. */
export type LinkTarget = (target: string) => { readonly href: string } | { readonly file: string };

/**
 * Converts the project's own Markdown to HTML: headings, paragraphs, lists of one level, tables, fenced code, code,
 * bold and links. Everything else is text, and all text is escaped, so it cannot become a tag.
 */
export function htmlOf(markdown: string, hrefOf: LinkTarget): string {
  return (markdown.match(blocks) ?? []).map((block) => blockHtml(block, hrefOf)).join('\n');
}

/** A fenced code block, or lines up to the next empty line or fence. */
const blocks = /^```[^\n]*\n[\s\S]*?^```$|^(?!```)[^\n]+(?:\n(?!```)[^\n]+)*/gm;

function blockHtml(block: string, hrefOf: LinkTarget): string {
  if (block.startsWith('```')) return `<pre><code>${escaped(block.split('\n').slice(1, -1).join('\n'))}</code></pre>`;
  const [, marks, title] = /^(#+) (.*)$/.exec(block) ?? [];
  if (marks !== undefined) return `<h${marks.length}>${inlineHtml(title ?? '', hrefOf)}</h${marks.length}>`;
  if (block.startsWith('| ')) return tableHtml(block, hrefOf);
  if (!block.startsWith('- ')) return `<p>${inlineHtml(block, hrefOf)}</p>`;
  const items = block.split(/^- /m).slice(1);
  return `<ul>\n${items.map((item) => `<li>${inlineHtml(item.trim(), hrefOf)}</li>`).join('\n')}\n</ul>`;
}

function tableHtml(block: string, hrefOf: LinkTarget): string {
  const [head = '', , ...rows] = block.split('\n');
  const row = (line: string, tag: 'th' | 'td'): string => {
    const cells = line.slice(2, -2).split(' | ');
    return `<tr>${cells.map((cell) => `<${tag}>${inlineHtml(cell.replaceAll('\\|', '|'), hrefOf)}</${tag}>`).join('')}</tr>`;
  };
  const body = rows.map((line) => row(line, 'td')).join('\n');
  return `<div class="table"><table>\n<thead>${row(head, 'th')}</thead>\n<tbody>\n${body}\n</tbody>\n</table></div>`;
}

const inline = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)]+)\)/g;

function inlineHtml(text: string, hrefOf: LinkTarget): string {
  let html = '';
  let end = 0;
  for (const found of text.matchAll(inline)) {
    const [whole, code, bold, label = '', target = ''] = found;
    html += escaped(text.slice(end, found.index));
    end = found.index + whole.length;
    if (code !== undefined) html += `<code>${escaped(code)}</code>`;
    else if (bold !== undefined) html += `<strong>${escaped(bold)}</strong>`;
    else html += linkHtml(label, hrefOf(target));
  }
  return html + escaped(text.slice(end));
}

function linkHtml(label: string, to: ReturnType<LinkTarget>): string {
  const words = label.startsWith('`') ? `<code>${escaped(label.slice(1, -1))}</code>` : escaped(label);
  return 'href' in to ? `<a href="${escaped(to.href)}">${words}</a>` : `${words} (<code>${escaped(to.file)}</code>)`;
}

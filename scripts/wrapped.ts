/** The documents are wrapped at this width, so that a change of a sentence is readable in a diff. */
export const proseWidth = 100;

/** Wraps the paragraphs and lists of a Markdown page; code blocks, tables, headings and comments are unchanged. */
export function wrapped(markdown: string): string {
  return markdown.replace(blocks, (block) => (verbatim.test(block) ? block : block.replace(items, wrapItem)));
}

/** A fenced code block, or lines up to the next empty line. */
const blocks = /^```[^\n]*\n[\s\S]*?^```$|^[^\n]+(?:\n[^\n]+)*/gm;
const verbatim = /^(?:```|\||#|<)/;
/** A paragraph, or an item of a list with its further lines. */
const items = /^(?:- )?[^\n]+(?:\n(?!- )[^\n]+)*/gm;

function wrapItem(item: string): string {
  const isListed = item.startsWith('- ');
  const lines = linesOf(isListed ? item.slice(2) : item, isListed ? proseWidth - 2 : proseWidth);
  return isListed ? `- ${lines.join('\n  ')}` : lines.join('\n');
}

/** Words with the text in backticks that they contain: code is not split. */
const words = /(?:`[^`]*`|[^\s`])+/g;
/** At the start of a line, these would begin a list, a heading or a quotation. */
const marker = /^(?:[-+*>]|#+|1[.)])$/;

function linesOf(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.match(words) ?? []) {
    const line = lines.at(-1);
    const extended = line === undefined ? word : `${line} ${word.replaceAll('\n', ' ')}`;
    if (line !== undefined && (extended.length <= width || marker.test(word))) lines[lines.length - 1] = extended;
    else lines.push(word.replaceAll('\n', ' '));
  }
  return lines;
}

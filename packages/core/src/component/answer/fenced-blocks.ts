import { LineQuotes } from './line-quotes.ts';

/** The contents of the fenced blocks of a text, in order. Blocks without content, or without an end, do not count. */
export function fencedBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  const quotes = new LineQuotes(text);
  let open: { readonly fence: string; readonly from: number } | null = null;
  for (const { 0: fence, index } of text.matchAll(/`{3,}|~{3,}/g)) {
    // A string of the answer can contain a fence.
    if (quotes.areOpenAt(index)) continue;
    const to = index + fence.length;
    // A longer fence can contain a shorter one, or one of the other kind.
    if (open !== null && !fence.startsWith(open.fence)) continue;
    // A name after a fence begins a block, so the block before it was never closed.
    const isOpening: boolean = open === null || /\w/.test(text.charAt(to));
    const content = open === null || isOpening ? '' : withoutName(text.slice(open.from, index));
    if (content !== '') blocks.push(content);
    open = isOpening ? { fence, from: to } : null;
  }
  return blocks;
}

/** The content of a block without the name of its language. */
function withoutName(content: string): string {
  return content.replace(/^[a-z][\w+#.-]*(?=[\s{["])/i, '').trim();
}

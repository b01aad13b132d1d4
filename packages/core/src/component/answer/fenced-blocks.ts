import type { SlicedWork } from '../../base/meter.ts';
import { LineQuotes } from './line-quotes.ts';

/** A fenced block of a text. */
export interface FencedBlock {
  /** The text between the fences, without the name of its language. */
  readonly text: string;
  /** Whether it is JSON, or was meant to be: by the name of its language, else by its first characters. */
  readonly isMeantAsJson: boolean;
  /** False for a block without an end, which is the last one: the answer was cut off, or the model forgot the fence. */
  readonly isClosed: boolean;
  readonly start: number;
  /** The place after it. */
  readonly end: number;
}

/** Fences read before a pause: they take some milliseconds. */
const fencesPerPause = 2000;

/**
 * The fenced blocks of a text, in order. Blocks without content do not count, nor does one without an end before another
 * one.
 */
export function* fencedBlocks(text: string): SlicedWork<readonly FencedBlock[]> {
  const blocks: FencedBlock[] = [];
  const quotes = new LineQuotes(text);
  let fences = 0;
  let open: { readonly fence: string; readonly from: number } | null = null;
  for (const { 0: fence, index } of text.matchAll(/`{3,}|~{3,}/g)) {
    fences += 1;
    if (fences % fencesPerPause === 0) yield;
    // A string of the answer can contain a fence.
    if (quotes.areOpenAt(index)) continue;
    const to = index + fence.length;
    // A longer fence can contain a shorter one, or one of the other kind.
    if (open !== null && !fence.startsWith(open.fence)) continue;
    // A name after a fence begins a block, so the block before it was never closed.
    const isOpening: boolean = open === null || /\w/.test(text.charAt(to));
    if (open !== null && !isOpening)
      add(blocks, text.slice(open.from, index), { isClosed: true, start: open.from, end: to });
    open = isOpening ? { fence, from: to } : null;
  }
  if (open !== null) add(blocks, text.slice(open.from), { isClosed: false, start: open.from, end: text.length });
  return blocks;
}

/** The name of a language, which ends before the content. */
const languageName = /^[a-z][\w+#.-]*(?=[\s{["]|$)/i;

function add(blocks: FencedBlock[], content: string, place: Pick<FencedBlock, 'isClosed' | 'start' | 'end'>): void {
  const name = languageName.exec(content)?.[0] ?? '';
  const text = content.slice(name.length).trim();
  const isNamedJson = /^json/i.test(name);
  if (text === '' && !isNamedJson) return;
  blocks.push({
    text,
    isMeantAsJson: isNamedJson || (name === '' && /^(?:\{\s*["}]|\[\s*["{[])/.test(text)),
    ...place,
  });
}

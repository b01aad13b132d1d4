import { ownPart } from '../../base/texts/own-text.ts';
import { LineQuotes } from './line-quotes.ts';

/** The tags that models put around their reasoning: in XML, in brackets, and as special tokens that a server passes on. */
const tag = new RegExp(
  [
    String.raw`<(\/?)(?:\w{1,20}:)?(think|thinking|thoughts?|analysis|reasoning|reflection|scratchpad)(?:\s[^<>]{0,200})?>`,
    String.raw`\[(\/?)(think)\]`,
    String.raw`◁(\/?)(think)▷`,
    String.raw`<\|(?:start|(end))_(thinking)\|>`,
    String.raw`<\|(?:begin|(end))_of_(thought)\|>`,
  ].join('|'),
  'gi',
);

/**
 * The text of a model's answer without its reasoning. Reasoning that never ends has no answer after it. A closing tag
 * without an opening one ends reasoning from the start of the text: some servers send the opening tag in the prompt.
 */
export function withoutReasoning(text: string): string {
  return ownPart(finalChannel(text) ?? withoutTags(text), text);
}

/**
 * The last message of the channel `final` in an answer with channels, as gpt-oss writes them; empty if it has none. Null
 * without channels.
 */
function finalChannel(text: string): string | null {
  const first = text.indexOf('<|channel|>');
  if (first === -1 || new LineQuotes(text).areOpenAt(first)) return null;
  const [message = ''] = text
    .split(/<\|channel\|>\s*final\b\s*(?:<\|constrain\|>)?[^<]{0,200}<\|message\|>/)
    .slice(1)
    .slice(-1);
  return (message.split(/<\|(?:end|return|start|call|channel)\|>/, 1)[0] ?? '').trim();
}

function withoutTags(text: string): string {
  const reader = new AnswerReader(text);
  for (const found of text.matchAll(tag)) {
    const [, ...groups] = found;
    const name = (groups.find((group, at) => at % 2 === 1 && group !== undefined) ?? '').toLowerCase();
    const isClosing = groups.some((group, at) => at % 2 === 0 && (group ?? '') !== '');
    reader.read({ name, isClosing, from: found.index, to: found.index + found[0].length });
  }
  return reader.end();
}

/** Whether a pattern finds a part of a text by such a tag, so that the text between the tags is what it is for. */
export function namesReasoning(pattern: string): boolean {
  return new RegExp(tag.source, 'i').test(pattern);
}

interface Tag {
  readonly name: string;
  readonly isClosing: boolean;
  readonly from: number;
  readonly to: number;
}

class AnswerReader {
  readonly #text: string;
  readonly #quotes: LineQuotes;
  #answer: string[] = [];
  #since = 0;
  #open: { readonly name: string; depth: number } | null = null;

  constructor(text: string) {
    this.#text = text;
    this.#quotes = new LineQuotes(text);
  }

  read({ name, isClosing, from, to }: Tag): void {
    const open = this.#open;
    if (open === null) {
      // A value of the answer can contain a tag: `{"html": "<think>"}`.
      if (this.#quotes.areOpenAt(from)) return;
      if (isClosing) this.#answer = [];
      else {
        this.#answer.push(this.#text.slice(this.#since, from));
        this.#open = { name, depth: 1 };
      }
      this.#since = to;
    } else if (open.name === name) {
      open.depth += isClosing ? -1 : 1;
      this.#since = to;
      if (open.depth === 0) this.#open = null;
    }
  }

  end(): string {
    if (this.#open === null) this.#answer.push(this.#text.slice(this.#since));
    return this.#answer.join('\n').trim();
  }
}

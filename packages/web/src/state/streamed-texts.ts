import type { LiveMessage } from '@millrace/client';

/** A part of a model's text, as an event contains it. */
interface TextPart {
  readonly executionId: string;
  readonly nodeId: string;
  readonly frame: string;
  readonly attempt: number;
  /** The call of an agent's model that the text belongs to; null for an agent without tools. */
  readonly call: number | null;
  /** The number of characters before it. */
  readonly offset: number;
  readonly text: string;
}

interface Stream {
  readonly attempt: number;
  readonly call: number | null;
  readonly text: string;
  /** How much of the text has been sent, with what was lost. */
  readonly length: number;
}

/** By execution, what its models have written so far: of the step that wrote last. */
export type StreamedTexts = ReadonlyMap<string, Stream & { readonly step: string }>;

/** The texts after another part. A part that was lost is shown as an ellipsis; another attempt or call begins again. */
export function withPart(texts: StreamedTexts, part: TextPart): StreamedTexts {
  const step = `${part.frame} ${part.nodeId}`;
  const known = texts.get(part.executionId);
  const isSame = known?.step === step && known.attempt === part.attempt && known.call === part.call;
  const before = isSame ? known : { text: '', length: 0 };
  if (part.offset < before.length) return texts;
  const gap = part.offset > before.length ? '…' : '';
  const text = `${before.text}${gap}${part.text}`;
  const length = part.offset + part.text.length;
  return new Map(texts).set(part.executionId, { step, attempt: part.attempt, call: part.call, text, length });
}

/** The complete sentences of a text: a screen reader speaks sentences, not parts of words. */
export function completeSentences(text: string): string {
  const end = Math.max(...['. ', '! ', '? ', '\n'].map((mark) => text.lastIndexOf(mark)));
  return end === -1 ? '' : text.slice(0, end + 1);
}

/** The part in an event of the type `token`. */
export function partOf({ data }: LiveMessage): TextPart {
  const { execution_id: executionId, node_id: nodeId, frame, attempt, call, offset, text } = data;
  return {
    executionId: String(executionId),
    nodeId: String(nodeId),
    frame: String(frame),
    attempt: Number(attempt),
    call: call === undefined ? null : Number(call),
    offset: Number(offset),
    text: String(text),
  };
}

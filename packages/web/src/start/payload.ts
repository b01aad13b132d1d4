import { exactJson } from '@millrace/core/editing';

/** A payload as a person writes it, or why it is no JSON. */
export type ParsedPayload =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly message: string };

/** Reads a payload. An empty text means the default payload of the trigger. */
export function parsePayload(text: string): ParsedPayload {
  if (text.trim() === '') return { kind: 'value', value: undefined };
  try {
    return { kind: 'value', value: exactJson(text) };
  } catch (error) {
    return { kind: 'invalid', message: placeOf(text, error instanceof Error ? error.message : '') };
  }
}

/** Browsers name the position of an error in different ways, and some not at all. */
function placeOf(text: string, message: string): string {
  const offset = /position (\d+)/.exec(message)?.[1];
  const named = /line (\d+) column (\d+)/.exec(message);
  if (named !== null) return `This is not valid JSON: line ${named[1]}, column ${named[2]}.`;
  if (offset === undefined) return 'This is not valid JSON: it ends too early.';
  const before = text.slice(0, Number(offset)).split('\n');
  return `This is not valid JSON: line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}.`;
}

/** A payload that was sent, with the trigger that received it. */
export interface SentPayload {
  readonly trigger: string;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The number of payloads that a browser keeps for each workflow, and the length of those it keeps. */
const maxRecent = 10;
const maxKept = 65_536;

/** The recent payloads after another one was sent: newest first, each once. */
export function withSent(recent: readonly SentPayload[], sent: SentPayload): readonly SentPayload[] {
  if (sent.text.trim() === '' || sent.text.length > maxKept) return recent;
  const others = recent.filter(({ text, trigger }) => text !== sent.text || trigger !== sent.trigger);
  return [sent, ...others].slice(0, maxRecent);
}

/** The recent payloads in a stored text; none if somebody has changed it. */
export function readRecent(stored: string | null): readonly SentPayload[] {
  const parsed = stored === null ? { kind: 'invalid' as const } : parsePayload(stored);
  if (parsed.kind !== 'value' || !Array.isArray(parsed.value)) return [];
  return parsed.value.filter(isSent).slice(0, maxRecent);
}

function isSent(value: unknown): value is SentPayload {
  if (typeof value !== 'object' || value === null) return false;
  const { trigger, text, at } = value as Partial<SentPayload>;
  return typeof trigger === 'string' && typeof text === 'string' && typeof at === 'number';
}

/** A payload with a name, stored with the trigger node. */
export interface Sample {
  readonly name: string;
  readonly payload: unknown;
}

/** The samples in the `trigger_config` of a trigger node. */
export function samplesIn(triggerConfig: unknown): readonly Sample[] {
  const samples = (triggerConfig as { samples?: unknown } | null | undefined)?.samples;
  if (!Array.isArray(samples)) return [];
  return samples.filter((sample): sample is Sample => typeof sample?.name === 'string' && 'payload' in sample);
}

/** The samples with another one, which replaces one of the same name. */
export function withSample(samples: readonly Sample[], added: Sample): readonly Sample[] {
  return [...samples.filter(({ name }) => name !== added.name), added];
}

/** The first words of a payload, for lists. */
export function payloadPreview(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 120);
}

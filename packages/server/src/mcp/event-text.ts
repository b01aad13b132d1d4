import type { Meter, SlicedWork } from '@millrace/core';
import { unusable } from './messages.ts';

/** Messages that a server sends with one answer, for example about its progress. */
export const maxMessages = 1_000;

/** Lines between two pauses. */
const linesPerPiece = 1_000;

/** A stream of events that has ended. */
interface EndedStream {
  /** The data of its messages. */
  readonly messages: readonly string[];
  /** The id of its last event, from which the server continues it; empty if it cannot be continued. */
  readonly lastId: string;
  /** The milliseconds that the server wishes between two requests. */
  readonly retryMs: number;
}

/**
 * Reads server-sent events from a text.
 * @throws StepError `mcp_error` for too many messages, `work_limit` for too many lines
 */
export function* eventsIn(text: string, meter: Meter): SlicedWork<EndedStream> {
  const messages: string[] = [];
  let [data, type, lastId, retryMs, count]: [string[], string, string, number, number] = [[], '', '', 0, 0];
  for (const line of linesIn(text)) {
    count += 1;
    meter.spend(1);
    if (count % linesPerPiece === 0) yield;
    const [field, value] = fieldOf(line);
    if (field === 'data') data.push(value);
    else if (field === 'event') type = value;
    else if (field === 'id') lastId = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) retryMs = Number(value);
    if (line !== '') continue;
    if (data.some((part) => part !== '') && (type === '' || type === 'message')) messages.push(data.join('\n'));
    if (messages.length > maxMessages) throw unusable(`comes with more than ${maxMessages} other messages`);
    [data, type] = [[], ''];
  }
  return { messages, lastId, retryMs };
}

/** Each line ends with CR, LF or both; what follows the last one is not complete. */
function* linesIn(text: string): Generator<string, void> {
  const ends = /\r\n|\n|\r/g;
  let from = 0;
  for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
    yield text.slice(from, end.index);
    from = ends.lastIndex;
  }
}

/** Comments have an empty name. */
function fieldOf(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)];
}

import { isObject, type Json } from '@millrace/core';
import { messageIn } from './provider-error.ts';

/** The JSON of an event's data; undefined for anything else. */
export function eventJson(data: string): Json | undefined {
  // An event without data is ignored: some servers send it to keep the connection alive.
  if (data.trim() === '') return null;
  try {
    return JSON.parse(data) as Json;
  } catch {
    return undefined;
  }
}

/** A provider's error in the middle of its answer: both protocols have an `error` for it. */
export function errorIn(event: Json | undefined): string | null {
  return event !== undefined && isObject(event) && event.error !== undefined && event.error !== null
    ? messageIn(event)
    : null;
}

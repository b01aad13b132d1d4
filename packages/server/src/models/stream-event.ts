import { isObject, type Json, runThrough } from '@millrace/core';
import { modelJson } from './model-json.ts';
import { messageIn } from './provider-error.ts';

/** The JSON of an event's data; undefined for anything else. */
export function eventJson(data: string): Json | undefined {
  // An event without data is ignored: some servers send it to keep the connection alive.
  return data.trim() === '' ? null : runThrough(modelJson(data));
}

/** A provider's error in the middle of its answer: both protocols have an `error` for it. */
export function errorIn(event: Json | undefined): string | null {
  return event !== undefined && isObject(event) && event.error !== undefined && event.error !== null
    ? messageIn(event)
    : null;
}

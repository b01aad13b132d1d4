import { type Json, runThrough } from '@millrace/core';
import { modelJson } from './model-json.ts';
import { errorValueIn, messageOf } from './provider-error.ts';

/** The JSON of an event's data; undefined for anything else. */
export function eventJson(data: string): Json | undefined {
  // An event without data is ignored: some servers send it to keep the connection alive.
  return data.trim() === '' ? null : runThrough(modelJson(data));
}

/** The message of a provider's error in the middle of its answer; null if the event contains none. */
export function errorIn(event: Json | undefined): string | null {
  const error = event === undefined ? undefined : errorValueIn(event);
  return error === undefined ? null : messageOf(error);
}

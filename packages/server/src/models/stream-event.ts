import { isObject, type Json } from '@millrace/core';
import { saidIn } from './provider-fault.ts';

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
export function faultIn(event: Json | undefined): string | null {
  return event !== undefined && isObject(event) && event.error !== undefined && event.error !== null
    ? saidIn(event)
    : null;
}

import { isObject, type Json } from '@millrace/core';
import { saidIn } from './provider-fault.ts';

/** The JSON of an event's data; null for anything else. */
export function eventJson(data: string): Json {
  try {
    return JSON.parse(data) as Json;
  } catch {
    return null;
  }
}

/** What a provider says went wrong, in the middle of its answer: both protocols have an `error` for it. */
export function faultIn(event: Json): string | null {
  return isObject(event) && event.error !== undefined && event.error !== null ? saidIn(event) : null;
}

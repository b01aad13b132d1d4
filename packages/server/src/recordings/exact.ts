import type { Json } from '@millrace/core';
import { isExpected } from './matching.ts';

/** A value as a recording names it; undefined if it would be read as a part of another one, `{contains: …}`. */
export function exact<Value extends Json>(value: Value): Value | undefined {
  return isExpected(value, value) ? value : undefined;
}

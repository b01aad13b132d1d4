import type { Json } from '../json.ts';

/** Sets an own property of an object under any name: assigning to `__proto__` would change what it inherits. */
export function setOwn(object: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

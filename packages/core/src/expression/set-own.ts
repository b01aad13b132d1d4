/** Sets an own property of an object under any name: assigning to `__proto__` would change its prototype. */
export function setOwn<Value>(object: Record<string, Value>, key: string, value: Value): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

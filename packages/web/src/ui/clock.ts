/** The wall clock of the browser, in milliseconds. */
export function now(): number {
  return Date.now();
}

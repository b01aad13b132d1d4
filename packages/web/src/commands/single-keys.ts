/** Where the browser stores that single-key shortcuts are off. */
const key = 'millrace.singleKeys';

/** Whether keys without a modifier run commands. */
export function hasSingleKeys(): boolean {
  return localStorage.getItem(key) !== 'off';
}

/** Turns keys without a modifier on or off, now and in later visits. */
export function chooseSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(key);
  else localStorage.setItem(key, 'off');
}

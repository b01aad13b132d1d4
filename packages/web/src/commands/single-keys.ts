import { browserStorage } from '../storage/browser-storage.ts';

/** Whether keys without a modifier run commands. */
export function hasSingleKeys(): boolean {
  return browserStorage.setting('singleKeys') !== 'off';
}

/** Turns keys without a modifier on or off, now and in later visits. */
export function chooseSingleKeys(isOn: boolean): void {
  browserStorage.setSetting('singleKeys', isOn ? null : 'off');
}

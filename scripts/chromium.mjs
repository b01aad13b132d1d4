/** Finds the browser of the journeys in `e2e/`, and installs Debian's Chromium where that is possible. */
import { existsSync } from 'node:fs';
import { installPackage } from './debian-package.mjs';

/** Where Debian, Ubuntu and Alpine install Chromium. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser'];

/** The path of Chromium; null if it is not installed. @returns {string | null} */
export function findChromium() {
  return places.find((path) => existsSync(path)) ?? null;
}

/**
 * Installs Chromium if it is missing.
 * @param {(line: string) => void} say
 * @returns {string | null} why there is no browser; null if there is one
 */
export function installChromium(say) {
  return installPackage({ name: 'chromium', what: 'Chromium', find: findChromium }, say);
}

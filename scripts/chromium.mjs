/** Finds the browser of the journeys in `e2e/`, and installs Debian's Chromium where that is possible. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Where Debian, Ubuntu and Alpine install Chromium. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser'];

/** The package and its dependencies are some 100 MB; a slower download ends instead of delaying the tests. */
const installMs = 5 * 60_000;

/** The path of Chromium; null if it is not installed. @returns {string | null} */
export function findChromium() {
  return places.find((path) => existsSync(path)) ?? null;
}

/**
 * Installs Chromium if it is missing. Only root may install packages, so this changes containers, not the machine of a
 * developer.
 * @param {(line: string) => void} say
 * @returns {string | null} why there is no browser; null if there is one
 */
export function installChromium(say) {
  if (findChromium() !== null) return null;
  if (!existsSync('/usr/bin/apt-get')) return 'Chromium is not installed, and this is not Debian';
  if (process.getuid?.() !== 0) return "Chromium is not installed: run 'apt-get install chromium' as root";
  say('installing Chromium for the journeys in the browser…');
  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', 'chromium']]) {
    const { status } = spawnSync('apt-get', args, { stdio: 'ignore', timeout: installMs });
    if (status !== 0) return `Chromium is not installed, and 'apt-get ${args.join(' ')}' failed`;
  }
  return findChromium() === null ? 'apt-get installed Chromium at an unknown place' : null;
}

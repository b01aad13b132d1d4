import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A package and its dependencies are some 100 MB at most; a slower download ends instead of delaying the tests. */
const installMs = 5 * 60_000;

/**
 * Installs a Debian package whose program is missing. Only root may install packages, so this changes containers, not the
 * machine of a developer.
 * @param {{ name: string, what: string, find: () => string | null }} wanted `what` names the program and its use
 * @param {(line: string) => void} say
 * @returns {string | null} why the program is missing; null if it is there
 */
export function installPackage({ name, what, find }, say) {
  if (find() !== null) return null;
  const missing = `${what} is not installed`;
  if (!existsSync('/usr/bin/apt-get')) return `${missing}, and this is not Debian`;
  if (process.getuid?.() !== 0) return `${missing}: run 'apt-get install ${name}' as root`;
  say(`installing ${name} for the tests…`);
  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', name]]) {
    const { status } = spawnSync('apt-get', args, { stdio: 'ignore', timeout: installMs });
    if (status !== 0) return `${missing}, and 'apt-get ${args.join(' ')}' failed`;
  }
  return find() === null ? `apt-get installed ${what} at an unknown place` : null;
}

/** Finds the ssh server with which the tests of `git` work, and installs Debian's where that is possible. */
import { existsSync } from 'node:fs';
import { installPackage } from './debian-package.mjs';

/** It must be started by an absolute path. */
const place = '/usr/sbin/sshd';

/** The path of the server; null if it is not installed. @returns {string | null} */
export function findSshd() {
  return existsSync(place) ? place : null;
}

/**
 * Installs the server if it is missing.
 * @param {(line: string) => void} say
 * @returns {string | null} why there is no server; null if there is one
 */
export function installSshd(say) {
  // Where systemd runs, the package would also start a server for everybody.
  const isContainer = !existsSync('/run/systemd/system');
  if (findSshd() === null && !isContainer) return "sshd is not installed: run 'apt-get install openssh-server'";
  return installPackage({ name: 'openssh-server', what: 'sshd', find: findSshd }, say);
}

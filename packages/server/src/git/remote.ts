import { StepError, textStart } from '@millrace/core';
import { type GitAddress, gitAddress } from '../ground/git-address.ts';

/** A repository on another server, and how it is reached. */
export interface Remote extends GitAddress {
  /** The address to which the host of the URL resolved when the outbound policy was checked. */
  readonly address: string;
  /** Headers with the credential; they are sent only to the origin of the URL. */
  readonly headers: Readonly<Record<string, string>>;
  /** The environment in which git reaches it. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The address of a repository. @throws StepError `config` */
export function repositoryAddress(text: string): GitAddress {
  const address = gitAddress(text);
  if ('issue' in address) throw new StepError('config', `'url' ${address.issue}.`);
  return address;
}

/** The settings with which git reaches a repository: the checked address, and the credential for this origin only. */
export function settingsOf({ url, isSsh, address, headers }: Remote): readonly (readonly [string, string])[] {
  // The files of ssh have both.
  if (isSsh) return [['protocol.ssh.allow', 'always']];
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const pinned = address.includes(':') ? `[${address}]` : address;
  return [
    ...(host === address ? [] : [['http.curloptResolve', `${host}:${port}:${pinned}`] as const]),
    ...Object.entries(headers).map(
      ([name, value]) => [`http.${url.origin}/.extraHeader`, `${name}: ${value}`] as const,
    ),
  ];
}

/** The error for a failed call, from the messages of git in English. */
export function gitError(errors: string, url: URL): StepError {
  const at = url.host;
  if (/\[(?:remote )?rejected\]|non-fast-forward|fetch first|stale info/i.test(errors)) {
    const message = `The branch at ${at} has other commits, or does not accept this one: ${shown(errors)}`;
    return new StepError('git_conflict', message);
  }
  if (/Host key verification failed/i.test(errors)) {
    const message = `The file MILLRACE_SSH_KNOWN_HOSTS of the operator has another key of ${at}, or none.`;
    return new StepError('git_failed', message);
  }
  if (/Permission denied \(/i.test(errors)) {
    const message = `${at} rejected the credential: check its user name and its ssh_private_key, which may have no passphrase.`;
    return new StepError('git_auth', message);
  }
  if (/ssh: not found/i.test(errors)) {
    return new StepError('git_unavailable', 'The program ssh cannot be started: install the client of OpenSSH.');
  }
  if (/Authentication failed|could not read (?:Username|Password)|returned error: 40[13]|HTTP 40[13]/i.test(errors)) {
    return new StepError('git_auth', `${at} rejected the credential: check its user name and its access_token.`);
  }
  if (
    /Could not resolve host|Failed to connect|timed out|returned error: 5\d\d|Connection reset|Connection closed|connect to host|kex_exchange/i.test(
      errors,
    )
  ) {
    return new StepError('git_unavailable', `No answer from ${at}: ${shown(errors)}`, { retryable: true });
  }
  return new StepError('git_failed', `Git failed: ${shown(errors)}`);
}

/** Characters of git's messages in an error. */
const maxShown = 500;

function shown(errors: string): string {
  const lines = errors.split('\n').filter((line) => /^(?:fatal|error|remote|ssh|No user exists|!| !)/i.test(line));
  const text = (lines.length > 0 ? lines : errors.split('\n')).map((line) => line.trim()).join(' ');
  return textStart(text, maxShown).trim();
}

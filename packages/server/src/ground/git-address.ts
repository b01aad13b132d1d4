/** The address of a repository on another server. */
export interface GitAddress {
  /** Of ssh, the URL of the same repository even if the user wrote `user@host:path`. */
  readonly url: URL;
  /** As git gets it: the path of `user@host:path` begins in the home folder of the user. */
  readonly location: string;
  readonly isSsh: boolean;
}

/** Why a text is not the address of a repository that is supported, as the end of a sentence. */
export interface GitAddressIssue {
  readonly issue: string;
}

const webProtocols: readonly string[] = ['https:', 'http:'];
/** Names without characters that a shell, ssh or git would interpret. */
const userName = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
const hostName = /^(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\])$/;
const shortForm = /^([^\s@:/]+)@([^\s@:/]+):(?!\/\/)([^\p{Cc}]+)$/u;

const accepted = 'must be an address that begins with https://, http:// or ssh://, or has the form user@host:path';
const surplus = 'must have no user name, password, query or fragment: put a token into a credential';

/** Reads the address of a repository as users write it. */
export function gitAddress(text: string): GitAddress | GitAddressIssue {
  if (!text.isWellFormed()) return { issue: accepted };
  const [, user, host, path = ''] = shortForm.exec(text) ?? [];
  if (user !== undefined && host !== undefined) {
    return sshAddress(URL.parse(`ssh://${user}@${host}/${encodeURIComponent(path)}`), text);
  }
  const url = URL.parse(text);
  if (url?.protocol === 'ssh:') return sshAddress(url, url.href);
  if (url === null || !webProtocols.includes(url.protocol)) return { issue: accepted };
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return { issue: surplus };
  return { url, location: url.href, isSsh: false };
}

function sshAddress(url: URL | null, location: string): GitAddress | GitAddressIssue {
  if (url === null || !hostName.test(url.hostname)) return { issue: accepted };
  if (url.password !== '' || url.search !== '' || url.hash !== '') {
    return { issue: 'must have no password, query or fragment' };
  }
  if (!userName.test(url.username)) return { issue: "must name the user, for example 'git@' before the host" };
  if (url.pathname.length < 2) return { issue: 'must have the path of the repository' };
  return { url, location, isSsh: true };
}

/** The server that a secret for this address may be used with: of ssh, the host, because a key belongs to no port. */
export function gitOrigin({ url, isSsh }: GitAddress): string {
  return isSsh ? `ssh://${url.hostname.toLowerCase()}` : url.origin;
}

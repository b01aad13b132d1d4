import { randomBytes } from 'node:crypto';
import type { Clock } from '../../ground/clock.ts';
import type { Vault } from '../../secrets/keys/vault.ts';

/** Half a year: longer than people are away, and a browser that is lost is forgotten. */
const knownForMs = 180 * 24 * 60 * 60 * 1000;

/** A token for a browser, which shows later that an account has logged in from it. */
interface DeviceToken {
  readonly token: string;
  /** Milliseconds. */
  readonly validFor: number;
}

/**
 * Recognises the browsers of an account, so that wrong guesses by others do not delay them. The tokens are signed and
 * not stored. They prove nothing else: a login needs the password all the same.
 */
export interface KnownDevices {
  issue(username: string): DeviceToken;
  /** The id of the browser with this token; null if the token is not valid for this account. */
  identify(token: string, username: string): string | null;
}

export function createKnownDevices(vault: Pick<Vault, 'sign' | 'isSigned'>, clock: Pick<Clock, 'now'>): KnownDevices {
  return {
    issue(username) {
      const id = randomBytes(12).toString('base64url');
      const expiresAt = clock.now() + knownForMs;
      return { token: `${expiresAt}.${id}.${vault.sign(textOf(username, expiresAt, id))}`, validFor: knownForMs };
    },
    identify(token, username) {
      const [, expiry = '', id = '', signature = ''] = /^(\d{1,16})\.([\w-]{16})\.(.+)$/.exec(token) ?? [];
      const expiresAt = Number(expiry);
      if (id === '' || expiresAt <= clock.now()) return null;
      return vault.isSigned(textOf(username, expiresAt, id), signature) ? id : null;
    },
  };
}

function textOf(username: string, expiresAt: number, id: string): string {
  return `device ${expiresAt} ${id} ${username.toLowerCase()}`;
}

import { readFileSync } from 'node:fs';
import { Problem } from '@millrace/core';

/** Below this a password is one of few patterns, such as `abababababab`. */
const minDifferentCharacters = 4;

let common: ReadonlySet<string> | null = null;

/** 6,667 passwords of at least 10 characters: those among the 200,000 most common of ten million that were published. */
function commonPasswords(): ReadonlySet<string> {
  common ??= new Set(
    readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n'),
  );
  return common;
}

/**
 * Rejects new passwords that an attacker tries first. Old ones stay valid.
 * @throws Problem `invalid`
 */
export function requireUncommon(password: string, username: string): void {
  const issue = issueOf(password.toLowerCase(), username.toLowerCase());
  if (issue !== null) throw new Problem('invalid', [{ type: 'value_error', loc: ['body', 'password'], msg: issue }]);
}

function issueOf(password: string, username: string): string | null {
  if (password === username) return 'must differ from the user name';
  if (new Set(password).size < minDifferentCharacters) {
    return `must have at least ${minDifferentCharacters} different characters`;
  }
  return commonPasswords().has(password) ? 'is a common password: use another one, such as four random words' : null;
}

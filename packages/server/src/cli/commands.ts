import { parseArgs } from 'node:util';
import type { Problem } from '@millrace/core';
import { backupCommand, restoreCommand } from './backup.ts';
import { type AnyCommand, type Arguments, CommandError } from './command.ts';
import { keyCommands } from './keys.ts';
import { rotateKeyCommand } from './rotate-key.ts';
import { testCommand } from './test.ts';
import { userCommands } from './users.ts';

const commands: readonly AnyCommand[] = [
  ...userCommands,
  ...keyCommands,
  rotateKeyCommand,
  backupCommand,
  restoreCommand,
  testCommand,
];

/** A command with its arguments. */
export interface Call {
  readonly command: AnyCommand;
  readonly args: Arguments;
}

/** The command of a command line; null for help. @throws CommandError */
export function callOf(line: readonly string[]): Call | null {
  const [first = 'help'] = line;
  if (['help', '--help', '-h'].includes(first)) return null;
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => line[index] === word));
  if (command !== undefined) return { command, args: argumentsOf(command, line.slice(command.name.split(' ').length)) };
  const names = commands.map(({ name }) => name).join(', ');
  throw new CommandError(`Unknown command '${line.join(' ')}'. Commands: ${names}.`);
}

/** The text of `millrace help`. */
export function help(): string {
  const lines = commands.map(({ name, takes, summary }) => `  ${`${name} ${takes}`.trim()}\n      ${summary}`);
  return ['Usage: npm run millrace -- <command>', '', ...lines].join('\n');
}

function argumentsOf({ name, takes, options = {} }: AnyCommand, given: readonly string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({ args: [...given], options, allowPositionals: true });
    return { words: positionals, options: values as Arguments['options'] };
  } catch (error) {
    // Node's own message names the option.
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${reason} Use: ${`${name} ${takes}`.trim()}`);
  }
}

/** The message of a Problem as lines for a terminal. */
export function problemText({ detail }: Problem): string {
  if (typeof detail === 'string') return detail;
  if ('validation_errors' in detail) return detail.validation_errors.join('\n');
  return detail.map(({ loc, msg }) => `${loc.slice(1).join('.')} ${msg}`).join('\n');
}

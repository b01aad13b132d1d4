import type { ParseArgsOptionDescriptor } from 'node:util';
import type { Clock } from '../ground/clock.ts';
import type { Config } from '../ground/config.ts';
import type { Passwords } from '../secrets/password.ts';
import type { Backups } from '../store/backup.ts';
import type { Store } from '../store/store.ts';
import type { TestRunner } from '../workflow-tests/test-runner.ts';

/** The dependencies of a command. */
export interface CommandPorts {
  readonly config: Config;
  /** The service may be running on the same database. */
  readonly store: Store;
  readonly databaseFile: string;
  readonly clock: Clock;
  readonly passwords: Passwords;
  /** Holds a file lock during the action; null if another process has it. */
  withLock<T>(path: string, action: () => Promise<T>): Promise<T | null>;
  /** All of standard input: a password does not belong in a command line, which other users can see. */
  readInput(): Promise<string>;
  /** Prints a line of the result. */
  print(line: string): void;
  /** Prints a line for a person that is not part of the result. */
  note(line: string): void;
}

/** The words and options after a command's name. */
export interface Arguments {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

/** How help shows a command and its arguments. */
interface CommandTexts {
  /** One or several words: `keys create`. */
  readonly name: string;
  /** The arguments after its name, as help shows them; empty for none. */
  readonly takes: string;
  /** One sentence for the list of commands. */
  readonly summary: string;
  readonly options?: Readonly<Record<string, ParseArgsOptionDescriptor>>;
}

/** An operator's command: `millrace <name> …`. */
export interface Command extends CommandTexts {
  readonly needs?: undefined;
  /** @throws CommandError, Problem, SecretKeyError: their messages are for the operator */
  run(args: Arguments, ports: CommandPorts): Promise<void>;
}

/** The dependencies of a command that needs no installation. */
export interface FreePorts extends Pick<CommandPorts, 'print' | 'note'> {
  /** Runs workflow tests; the caller that opens it closes it. */
  openTestRunner(): Promise<TestRunner & { close(): void }>;
}

/** A command that needs no installation, for authors of workflows. */
export interface FreeCommand extends CommandTexts {
  readonly needs: 'nothing';
  /** Returns the exit code. @throws CommandError */
  run(args: Arguments, ports: FreePorts): Promise<number>;
}

/** The dependencies of a command that works on the files of the database, which may be missing or damaged. */
export interface FilePorts extends Pick<CommandPorts, 'config' | 'databaseFile' | 'clock' | 'print' | 'note'> {
  readonly backups: Backups;
  /** Aborted when the operator interrupts the command. */
  readonly signal: AbortSignal;
  /** Locks the data directory and the database during the action. @throws AlreadyInUse if a service runs */
  whileStopped(action: () => void): void;
}

/** A command that works on the files of the database. */
export interface FileCommand extends CommandTexts {
  readonly needs: 'files';
  /** @throws CommandError, BackupError, SecretKeyError: their messages are for the operator */
  run(args: Arguments, ports: FilePorts): Promise<void>;
}

/** Any command. */
export type AnyCommand = Command | FileCommand | FreeCommand;

/** The command cannot run, for a reason that the operator can fix. The message is one line. */
export class CommandError extends Error {}

/** The only argument of a command besides its options. @throws CommandError */
export function onlyWord({ words }: Arguments, what: string): string {
  const [word, ...others] = words;
  if (word === undefined) throw new CommandError(`Say which ${what}.`);
  if (others.length > 0) throw new CommandError(`Only one ${what} is allowed: remove '${others.join(' ')}'.`);
  return word;
}

/** The text of an option; undefined if it was not given. */
export function optionText({ options }: Arguments, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

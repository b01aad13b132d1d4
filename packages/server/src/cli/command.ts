import type { ParseArgsOptionDescriptor } from 'node:util';
import type { Clock } from '../ground/clock.ts';
import type { Config } from '../ground/config.ts';
import type { Passwords } from '../secrets/password.ts';
import type { Store } from '../store/store.ts';
import type { Theatre } from '../workflow-tests/test-runner.ts';

/** What a command stands on. */
export interface CommandPorts {
  readonly config: Config;
  /** The service may be running on the same database. */
  readonly store: Store;
  readonly databaseFile: string;
  readonly clock: Clock;
  readonly passwords: Passwords;
  /** Holds a file's lock while the deed is done; null when another process has it. */
  withLock<T>(path: string, deed: () => Promise<T>): Promise<T | null>;
  /** All that comes in by standard input: a password does not belong in a command line, which others can see. */
  readInput(): Promise<string>;
  /** Prints a line of the result. */
  say(line: string): void;
  /** Prints a line for a person, which a script that keeps the result does not want. */
  note(line: string): void;
}

/** What follows a command's name. */
export interface Arguments {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

/** How help shows a command, and what it takes. */
interface CommandWords {
  /** One word or several: `keys create`. */
  readonly name: string;
  /** What it takes after its name, as help shows it; empty for nothing. */
  readonly takes: string;
  /** One sentence for the list of commands. */
  readonly summary: string;
  readonly options?: Readonly<Record<string, ParseArgsOptionDescriptor>>;
}

/** One deed of the operator's: `millrace <name> …`. */
export interface Command extends CommandWords {
  readonly needs?: undefined;
  /** @throws CommandError, Problem, SecretKeyError: their messages are for the operator */
  run(args: Arguments, ports: CommandPorts): Promise<void>;
}

/** What a command stands on that needs no installation. */
export interface FreePorts extends Pick<CommandPorts, 'say' | 'note'> {
  /** Where tests of workflows are played; whoever opens it closes it. */
  openTheatre(): Promise<Theatre & { close(): void }>;
}

/** A deed that needs no installation: for an author, who may not have one. */
export interface FreeCommand extends CommandWords {
  readonly needs: 'nothing';
  /** Gives the exit code. @throws CommandError */
  run(args: Arguments, ports: FreePorts): Promise<number>;
}

/** The command cannot do what it was asked, for a reason that the operator can mend. The message is one line. */
export class CommandError extends Error {}

/** The one word that a command takes beside its options. @throws CommandError */
export function onlyWord({ words }: Arguments, what: string): string {
  const [word, ...others] = words;
  if (word === undefined) throw new CommandError(`Say which ${what}.`);
  if (others.length > 0) throw new CommandError(`One ${what} at a time: '${others.join(' ')}' is too much.`);
  return word;
}

/** An option's text; undefined when it was not given. */
export function optionText({ options }: Arguments, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

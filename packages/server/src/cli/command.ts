import type { Config } from '../config.ts';
import type { Store } from '../store/store.ts';

/** What a command stands on. */
export interface CommandPorts {
  readonly config: Config;
  /** The service may be running on the same database. */
  readonly store: Store;
  readonly databaseFile: string;
  /** Holds a file's lock while the deed is done; null when another process has it. */
  withLock<T>(path: string, deed: () => Promise<T>): Promise<T | null>;
  /** Prints a line for a person. */
  say(line: string): void;
}

/** One deed of the operator's: `millrace <name> …`. */
export interface Command {
  readonly name: string;
  /** What it takes after its name, as help shows it; empty for nothing. */
  readonly takes: string;
  /** One sentence for the list of commands. */
  readonly summary: string;
  /** @throws CommandError, Problem, SecretKeyError: their messages are for the operator */
  run(args: readonly string[], ports: CommandPorts): Promise<void>;
}

/** The command cannot do what it was asked, for a reason that the operator can mend. The message is one line. */
export class CommandError extends Error {}

import type { Json } from '../../json.ts';

/** A command that the operator allows, as a step runs it. */
export interface CommandRequest {
  /** Its name in the operator's file. */
  readonly name: string;
  /** Passed to the program one by one, never through a shell. */
  readonly args: readonly string[];
  /** Written to its standard input: text as it is, anything else as JSON; null for none. */
  readonly input: Json;
}

/** How a command ended. */
export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the output was longer than the limit, and only its beginning is here. */
  readonly cut: boolean;
}

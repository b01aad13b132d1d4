import { type CommandRequest, type CommandResult, StepError } from '@millrace/core';
import { differences, shown } from './difference.ts';
import { Recordings } from './recordings.ts';
import type { RecordedCommand } from './test-schema.ts';

/** Answers the commands of a test's steps from its recordings; no program is started. */
export class RecordedCommands {
  readonly #recordings: Recordings<RecordedCommand>;

  constructor(commands: readonly RecordedCommand[]) {
    this.#recordings = new Recordings(commands, ({ command }, index) => `commands[${index}] (${command})`);
  }

  get failures(): readonly string[] {
    return this.#recordings.failures;
  }

  /** @throws StepError command_denied for a command without a recording */
  answer(request: CommandRequest): CommandResult {
    const found = this.#recordings.take((recorded) => isFor(recorded, request));
    if (found === undefined) throw this.#reject(request);
    const { exit_code: exitCode, stdout, stderr } = found;
    return { exitCode, stdout, stderr, cut: false };
  }

  #reject({ name, args, input }: CommandRequest): StepError {
    const message = `No recording answers the command '${name}' with ${shown([...args])} and the input ${shown(input)}.`;
    this.#recordings.miss(message);
    return new StepError('command_denied', message);
  }
}

/** Arguments and input count only as far as the recording names them. */
function isFor({ command, args, input }: RecordedCommand, request: CommandRequest): boolean {
  if (command !== request.name) return false;
  const wrong = [
    ...(args === undefined ? [] : differences(args, [...request.args], 'args')),
    ...(input === undefined ? [] : differences(input, request.input, 'input')),
  ];
  return wrong.length === 0;
}

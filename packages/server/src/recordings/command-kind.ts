import type { RecordedCommand } from '@millrace/contract';
import type { CommandRequest, CommandResult } from '@millrace/core';
import { shown } from './difference.ts';
import { exact } from './exact.ts';
import type { Kind, Writer } from './kind.ts';
import { Matching } from './matching.ts';

/** Commands, for which no program is started. */
export const commandKind: Kind<RecordedCommand, CommandRequest, CommandResult> = {
  key: 'commands',
  failure: 'command_failed',
  nameOf: ({ command }, index) => `commands[${index}] (${command})`,
  fitting(request, meter) {
    const matching = new Matching(meter);
    return function* ({ command, args, input }) {
      if (command !== request.name) return false;
      if (args !== undefined && !(yield* matching.of(args, request.args))) return false;
      return input === undefined || (yield* matching.of(input, request.input));
    };
  },
  answerOf: ({ exit_code: exitCode = 0, stdout = '', stderr = '', cut = false }) => ({ exitCode, stdout, stderr, cut }),
  wordsOf: ({ name, args, input }) => `the command '${name}' with ${shown([...args])} and the input ${shown(input)}`,
};

export const commandWriter: Writer<RecordedCommand, CommandRequest, CommandResult> = {
  key: 'commands',
  askedIn: ({ name, args, input }) => ({ command: name, args: [...args], ...withInput(exact(input)) }),
  entryOf: (request, { exitCode, stdout, stderr, cut }) => ({
    ...commandWriter.askedIn(request),
    exit_code: exitCode,
    stdout,
    ...(stderr !== '' && { stderr }),
    ...(cut && { cut }),
  }),
};

function withInput(input: RecordedCommand['input']) {
  return input === undefined ? {} : { input };
}

import { type CommandRequest, type CommandResult, closest, Problem, StepError } from '@millrace/core';
import { FairTurns } from '../ground/fair-turns.ts';
import type { AllowedCommand, CommandList } from './command-list.ts';
import { type Ended, runProgram } from './run-program.ts';

/** For whom a command runs. */
export interface CommandCaller {
  /** The owner of the workflow: owners take turns. */
  readonly ownerId: number;
  readonly signal: AbortSignal;
}

/** Runs commands that the operator allows. */
export type RunCommand = (request: CommandRequest, caller: CommandCaller) => Promise<CommandResult>;

/** Commands at once: they use processors that runs need as well. */
const maxAtOnce = 4;
/** Commands that wait for their turn. */
const maxWaiting = 100;

/**
 * Makes the one function that starts programs of the operator's list.
 * @throws StepError `command_denied`, `command_failed`, `step_timeout`
 */
export function createCommands(list: CommandList): RunCommand {
  const message = `${maxWaiting} commands wait already: try again later.`;
  const turns = new FairTurns({ atOnce: maxAtOnce, waiting: maxWaiting, message });
  return async (request, { ownerId, signal }) => {
    const allowed = allowedIn(list, request.name);
    checkOptions(request, allowed);
    signal.throwIfAborted();
    const source = { id: String(ownerId), isKnown: true };
    try {
      const work = async () => resultOf(request.name, allowed, await runProgram({ ...request, allowed, signal }));
      return await turns.take(source, work, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Problem) throw new StepError('command_failed', message, { retryable: true });
      throw error;
    }
  };
}

function allowedIn(list: CommandList, name: string): AllowedCommand {
  const allowed = list.get(name);
  if (allowed !== undefined) return allowed;
  if (list.size === 0)
    throw new StepError(
      'command_denied',
      'This service runs no commands. Its operator can allow some: see MILLRACE_COMMANDS in the documentation.',
    );
  const similar = closest(name, [...list.keys()]);
  const hint = similar === undefined ? '' : ` Did you mean '${similar}'?`;
  throw new StepError('command_denied', `The operator does not allow the command '${name}'.${hint}`);
}

/** An option can change what a program does, so each must be in the list: `-n`, or `--name=` with any value. */
function checkOptions({ name, args }: CommandRequest, { options }: AllowedCommand): void {
  const isAllowed = (arg: string): boolean =>
    options.some((option) => arg === option || (option.endsWith('=') && arg.startsWith(option)));
  const denied = args.find((arg) => arg.startsWith('-') && !isAllowed(arg));
  if (denied === undefined) return;
  const list = options.length === 0 ? 'it takes none' : `allowed are ${options.join(', ')}`;
  const message = `The command '${name}' may not be run with the option '${denied.slice(0, 100)}': ${list}.`;
  throw new StepError('command_denied', message);
}

function resultOf(name: string, { seconds }: AllowedCommand, ended: Ended): CommandResult {
  switch (ended.kind) {
    case 'exited':
      return ended.result;
    case 'timeout':
      throw new StepError('step_timeout', `The command '${name}' ran longer than ${seconds} s and was ended.`);
    case 'unstartable':
      throw new StepError(
        'command_failed',
        `The command '${name}' could not be started (${ended.code}).${hintFor(ended.code)}`,
      );
    case 'unconfined':
      throw new StepError(
        'command_denied',
        `This machine cannot run the command '${name}' without network access (unshare does not work). ` +
          'Its operator can allow it the network in the file of commands.',
      );
  }
}

function hintFor(code: string): string {
  return code === 'E2BIG' ? " Its arguments are too long: pass large values as 'input'." : '';
}

import { type CommandRequest, type CommandResult, closest, StepError } from '@millrace/core';
import type { AllowedCommand, CommandList } from './command-list.ts';
import { type Ended, runProgram } from './run-program.ts';

/** Runs commands that the operator allows. */
export type RunCommand = (request: CommandRequest, signal: AbortSignal) => Promise<CommandResult>;

/** Commands at once: they use processors that runs need as well. */
const maxAtOnce = 4;
/** Commands that wait for their turn. */
const maxWaiting = 100;

/**
 * Makes the one function that starts programs of the operator's list.
 * @throws StepError `command_denied`, `command_failed`, `step_timeout`
 */
export function createCommands(list: CommandList): RunCommand {
  const turns = new Turnstile();
  return async (request, signal) => {
    const allowed = allowedIn(list, request.name);
    checkOptions(request, allowed);
    await turns.enter(signal);
    try {
      return resultOf(request.name, allowed, await runProgram({ ...request, allowed, signal }));
    } finally {
      turns.leave();
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
      throw new StepError('command_failed', `The command '${name}' could not be started (${ended.code}).`);
    case 'unconfined':
      throw new StepError(
        'command_denied',
        `This machine cannot run the command '${name}' without network access (unshare does not work). ` +
          'Its operator can allow it the network in the file of commands.',
      );
  }
}

/** Lets a number of commands run, and the others wait in order. */
class Turnstile {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#running < maxAtOnce) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= maxWaiting) {
      const message = `${maxWaiting} commands wait already: try again later.`;
      throw new StepError('command_failed', message, { retryable: true });
    }
    await new Promise<void>((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(signal.reason);
      };
      this.#waiting.push(go);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** The place goes to the next one that waits. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

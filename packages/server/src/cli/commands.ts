import { type Command, CommandError } from './command.ts';
import { rotateKeyCommand } from './rotate-key.ts';

const commands: ReadonlyMap<string, Command> = new Map([rotateKeyCommand].map((command) => [command.name, command]));

/** The command that the arguments name; null when they ask for help. @throws CommandError */
export function commandOf(args: readonly string[]): Command | null {
  const [name = 'help'] = args;
  if (['help', '--help', '-h'].includes(name)) return null;
  const command = commands.get(name);
  if (command !== undefined) return command;
  throw new CommandError(`There is no command '${name}'. Commands: ${[...commands.keys()].join(', ')}.`);
}

/** What `millrace help` prints. */
export function help(): string {
  const lines = [...commands.values()].map(
    ({ name, takes, summary }) => `  ${`${name} ${takes}`.trim()}\n      ${summary}`,
  );
  return ['Use: npm run millrace -- <command>', '', ...lines].join('\n');
}
